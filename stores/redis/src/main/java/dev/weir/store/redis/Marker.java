package dev.weir.store.redis;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What a slot of Redis says about what it holds.
 *
 * @param sinceMicros all that was written since is there; what was written before may be lost
 * @param beatenAtMicros when the marker was last written, by Redis' clock
 */
record Marker(double sinceMicros, double beatenAtMicros) {
  static final int BYTES = 2 * 8;

  static Marker read(ByteBuffer buffer) {
    return new Marker(buffer.getDouble(), buffer.getDouble());
  }

  byte[] packed() {
    return ByteBuffer.allocate(BYTES)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putDouble(sinceMicros)
        .putDouble(beatenAtMicros)
        .array();
  }

  boolean isAfter(Marker other) {
    return sinceMicros > other.sinceMicros
        || (sinceMicros == other.sinceMicros && beatenAtMicros > other.beatenAtMicros);
  }
}
