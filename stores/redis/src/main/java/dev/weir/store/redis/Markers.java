package dev.weir.store.redis;

import dev.weir.engine.StoreException;
import dev.weir.engine.limits.StoreHistory;
import io.lettuce.core.cluster.SlotHash;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

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
  private static final byte[] READ = "0".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] WRITE = "1".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] LOSS = "0".getBytes(StandardCharsets.US_ASCII);

  /** The length of what a script returns that has found the marker of another server. */
  private static final int OTHER_SERVER_BYTES = 1;

  /** Made or looked at at the same time; a connection has room for more. */
  private static final int CHUNK = 256;

  private final Redis redis;
  private final StoreHistory history;
  private final AtomicReferenceArray<Marker> seen;
  private final ReentrantLock preparing = new ReentrantLock();

  /** How often they were prepared. */
  private volatile long prepared;

  /** Of the thread that looks: where it goes on, and what the history was last told. */
  private int nextSlot;

  private @Nullable Marker told;

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

  /** To be read before a script is sent that may ask to {@link #prepare}. */
  long prepared() {
    return prepared;
  }

  /** Whether a script has done nothing, and says only what has to be found out first. */
  static boolean isUnprepared(byte[] reply) {
    return reply.length <= OTHER_SERVER_BYTES;
  }

  /** Fails if Redis has changed its server, or lost its data, once more meanwhile. */
  static void requirePrepared(byte[] reply) {
    if (isUnprepared(reply)) {
      throw new StoreException(
          Redis.STORE,
          StoreException.Outcome.NONE, "Redis was restarted again while it was prepared");
    }
  }

  /**
   * Finds out what a script has to know. If it has found no marker and this node has not seen one
   * either, what is known elsewhere says whether this is the first use or a loss. If the marker is
   * of another server, what other nodes have seen says whether all of it is here; the history of a
   * Cluster's slots is not kept, so there this node's word is taken.
   *
   * @param preparedBefore since then another caller may have done the same
   */
  void prepare(int slot, byte[] reply, long preparedBefore, StoreClock clock) {
    if (redis.isCluster() && reply.length == OTHER_SERVER_BYTES) {
      make(slot, slot + 1, clock, LOSS);
      return;
    }
    preparing.lock();
    try {
      if (prepared == preparedBefore) {
        history.prepare(redis.name(), past -> prepare(past, clock));
        prepared = preparedBefore + 1;
      }
    } finally {
      preparing.unlock();
    }
  }

  private void prepare(StoreHistory.Past past, StoreClock clock) {
    past.latest().ifPresent(mark -> saw(ONLY_SLOT, Marker.of(mark)));
    for (int from = 0; from < seen.length(); from += CHUNK) {
      int to = Math.min(from + CHUNK, seen.length());
      make(from, to, clock, past.isFirstUse() ? FIRST_USE : LOSS);
    }
  }

  private void make(int from, int to, StoreClock clock, byte[] reason) {
    List<RedisCall<byte[]>> replies = new ArrayList<>(to - from);
    for (int slot = from; slot < to; slot++) {
      byte[][] keys = {key(slot)};
      replies.add(redis.run(Script.MARK, keys, clock.argument(), latest(slot), reason));
    }
    for (int slot = from; slot < to; slot++) {
      saw(slot, redis.await(replies.get(slot - from)));
    }
  }

  private void saw(int slot, byte[] marker) {
    saw(slot, Marker.read(ByteBuffer.wrap(marker).order(ByteOrder.LITTLE_ENDIAN)));
  }

  /**
   * Looks whether Redis has lost something, so that it is noticed soon although nobody asks, and
   * tells the history what this node has seen. Of a Cluster, some slots at a time. Only one thread
   * may look.
   */
  void look() {
    int from = nextSlot;
    int to = Math.min(from + CHUNK, seen.length());
    nextSlot = to % seen.length();
    look(from, to, READ);
    Marker latest = seen.get(ONLY_SLOT);
    if (!redis.isCluster() && latest != null && !latest.equals(told)) {
      history.saw(redis.name(), latest.mark());
      told = latest;
    }
  }

  /** Throws if a slot cannot be written to. */
  void probe(int slot) {
    look(slot, slot + 1, WRITE);
  }

  private void look(int from, int to, byte[] how) {
    long preparedBefore = prepared;
    List<RedisCall<byte[]>> replies = new ArrayList<>(to - from);
    for (int slot = from; slot < to; slot++) {
      byte[][] keys = {key(slot)};
      replies.add(redis.run(Script.LOOK, keys, StoreClock.OF_REDIS.argument(), latest(slot), how));
    }
    for (int slot = from; slot < to; slot++) {
      byte[] reply = redis.await(replies.get(slot - from));
      if (isUnprepared(reply)) {
        prepare(slot, reply, preparedBefore, StoreClock.OF_REDIS);
      } else {
        saw(slot, reply);
      }
    }
  }
}
