package dev.weir.store.redis;

import dev.weir.limits.StoreHistory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The marker of a slot: which of the data written to Redis is complete.
 *
 * @param sinceMicros everything written since then is present; earlier writes may be lost
 * @param beatenAtMicros the time at which the marker was last written, by Redis' clock
 * @param server the server that wrote it
 * @param joinedAtMicros the time of the last marker of another server that this server found
 */
record Marker(double sinceMicros, double beatenAtMicros, double server, double joinedAtMicros) {
  static final int BYTES = 4 * 8;

  static Marker of(StoreHistory.Mark mark) {
    return new Marker(
        (double) mark.sinceMicros(),
        (double) mark.writtenAtMicros(),
        (double) mark.server(),
        (double) mark.joinedAtMicros());
  }

  static Marker read(ByteBuffer buffer) {
    return new Marker(
        buffer.getDouble(), buffer.getDouble(), buffer.getDouble(), buffer.getDouble());
  }

  byte[] packed() {
    return ByteBuffer.allocate(BYTES)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putDouble(sinceMicros)
        .putDouble(beatenAtMicros)
        .putDouble(server)
        .putDouble(joinedAtMicros)
        .array();
  }

  StoreHistory.Mark mark() {
    return new StoreHistory.Mark(
        (long) sinceMicros, (long) beatenAtMicros, (long) server, (long) joinedAtMicros);
  }

  /**
   * Returns true if this marker follows the other one. A later marker of a server that did not find
   * the other one does not follow it: the other has to be sent to Redis, so that it detects the
   * loss.
   */
  boolean isAfter(Marker other) {
    if (sinceMicros != other.sinceMicros) {
      return sinceMicros > other.sinceMicros;
    }
    return server == other.server
        ? beatenAtMicros > other.beatenAtMicros
        : joinedAtMicros >= other.beatenAtMicros;
  }
}
