package dev.weir.store.redis;

import dev.weir.engine.limits.StoreHistory;
import io.lettuce.core.cluster.SlotHash;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The markers by which Redis notices that it lost what it kept, and what this node has seen of
 * them.
 *
 * <p>A Cluster has one for each slot, because a script reaches the keys of one slot only; they are
 * all made when the Cluster is first used, so that one that is missing later was lost. Thread-safe.
 */
final class Markers {
  private static final int ONLY_SLOT = 0;
  private static final byte[] NONE = {};
  private static final byte[] FIRST_USE = "1".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] LOSS = "0".getBytes(StandardCharsets.US_ASCII);

  /** Made at the same time; a connection has room for more. */
  private static final int CHUNK = 256;

  private final Redis redis;
  private final StoreHistory history;
  private final AtomicReferenceArray<Marker> seen;

  Markers(Redis redis, StoreHistory history) {
    this.redis = redis;
    this.history = history;
    this.seen = new AtomicReferenceArray<>(redis.isCluster() ? SlotHash.SLOT_COUNT : 1);
  }

  /** The number of the marker that goes with a key. */
  int slot(String key) {
    return redis.isCluster() ? SlotHash.getSlot(key) : ONLY_SLOT;
  }

  byte[] key(int slot) {
    KeyNames names = redis.names();
    return KeyNames.bytes(redis.isCluster() ? names.marker(SlotTags.of(slot)) : names.marker());
  }

  /** The latest marker of a slot as scripts want it: empty if none was seen. */
  byte[] latest(int slot) {
    Marker latest = seen.get(slot);
    return latest == null ? NONE : latest.packed();
  }

  /** The latest marker, for a script that cannot read it. */
  static byte[] outOfReach(byte[] latest) {
    return Arrays.copyOf(latest, latest.length + 1);
  }

  void saw(int slot, Marker marker) {
    seen.accumulateAndGet(
        slot, marker, (known, next) -> known == null || next.isAfter(known) ? next : known);
  }

  /**
   * Makes the markers that are missing, after a script has found none and this node has not seen it
   * either: by what is known elsewhere, this is the first use or a loss.
   */
  void make(StoreClock clock) {
    history.prepare(
        "redis " + redis.settings().prefix(),
        isFirstUse -> {
          for (int from = 0; from < seen.length(); from += CHUNK) {
            make(from, Math.min(from + CHUNK, seen.length()), clock, isFirstUse ? FIRST_USE : LOSS);
          }
        });
  }

  private void make(int from, int to, StoreClock clock, byte[] reason) {
    List<RedisCall<byte[]>> replies = new ArrayList<>(to - from);
    for (int slot = from; slot < to; slot++) {
      byte[][] keys = {key(slot)};
      replies.add(redis.run(Script.MARK, keys, clock.argument(), NONE, reason));
    }
    replies.forEach(redis::await);
  }
}
