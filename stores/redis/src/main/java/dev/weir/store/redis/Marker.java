package dev.weir.store.redis;

import dev.weir.engine.limits.StoreHistory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What a slot of Redis says about what it holds.
 *
 * @param sinceMicros all that was written since is there; what was written before may be lost
 * @param beatenAtMicros when the marker was last written, by Redis' clock
 * @param server which server wrote it
 * @param joinedAtMicros when the last marker was written that this server found of another
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
   * Whether this follows the other. A later one of a server that did not find the other does not:
   * Redis has to be shown the other, so that it notices the loss.
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
