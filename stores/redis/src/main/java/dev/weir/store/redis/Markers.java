package dev.weir.store.redis;

import dev.weir.StoreException;
import dev.weir.internal.SharedFailure;
import dev.weir.limits.StoreHistory;
import io.lettuce.core.cluster.SlotHash;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The markers by which a loss of data in Redis is detected, and the latest that this node has seen.
 *
 * <p>A Cluster has one marker per slot, because a script can access the keys of one slot only. All
 * of them are created when the Cluster is first used, so a marker that is missing later was lost.
 * Thread-safe.
 */
final class Markers {
  private static final int ONLY_SLOT = 0;
  private static final byte[] NONE = {};
  private static final byte[] FIRST_USE = "1".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] READ = "0".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] WRITE = "1".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] MAKE = "0".getBytes(StandardCharsets.US_ASCII);

  /** The length of the reply of a script that has found the marker of another server. */
  private static final int OTHER_SERVER_BYTES = 1;

  /** The number of markers that are created or read together. */
  private static final int CHUNK = 256;

  private final Redis redis;
  private final StoreHistory history;
  private final AtomicReferenceArray<Marker> seen;
  private final ReentrantLock preparing = new ReentrantLock();
  private final SharedFailure failure;

  /** The number of times that the markers were prepared. */
  private volatile long prepared;

  /** The slot at which {@link #look} continues; used by its thread only. */
  private int nextSlot;

  /** The marker that {@link #look} has last reported to the history. */
  private @Nullable Marker reported;

  /**
   * @param nowMicros a clock that never steps backwards
   */
  Markers(Redis redis, StoreHistory history, LongSupplier nowMicros) {
    this.redis = redis;
    this.history = history;
    this.failure = new SharedFailure(nowMicros);
    this.seen = new AtomicReferenceArray<>(redis.isCluster() ? SlotHash.SLOT_COUNT : 1);
  }

  /** Returns the number of the marker for a key. */
  int slot(String key) {
    return redis.isCluster() ? SlotHash.getSlot(key) : ONLY_SLOT;
  }

  byte[] key(int slot) {
    KeyNames names = redis.names();
    return KeyNames.bytes(redis.isCluster() ? names.marker(SlotTags.of(slot)) : names.marker());
  }

  /** Returns the latest marker of a slot, packed for scripts; empty if none was seen. */
  byte[] latest(int slot) {
    Marker latest = seen.get(slot);
    return latest == null ? NONE : latest.packed();
  }

  /** Returns the latest marker, for a script that cannot read the marker itself. */
  static byte[] outOfReach(byte[] latest) {
    return Arrays.copyOf(latest, latest.length + 1);
  }

  void saw(int slot, Marker marker) {
    seen.accumulateAndGet(
        slot, marker, (known, next) -> known == null || next.isAfter(known) ? next : known);
  }

  /** Returns a number to read before sending a script, and to pass to {@link #prepare} after it. */
  long prepared() {
    return prepared;
  }

  /** Returns true if a script has done nothing, because the markers have to be prepared first. */
  static boolean isUnprepared(byte[] reply) {
    return reply.length <= OTHER_SERVER_BYTES;
  }

  /** Throws if Redis was restarted, or has lost its data, once more meanwhile. */
  static void requirePrepared(byte[] reply) {
    if (isUnprepared(reply)) {
      throw new StoreException(
          Redis.STORE,
          StoreException.Outcome.NONE,
          "Redis was restarted again while it was prepared");
    }
  }

  /**
   * Prepares the markers as the reply of a script requires. If there is no marker and this node has
   * not seen one, the history distinguishes the first use from a loss. If another server wrote the
   * marker, the markers that other nodes have seen show whether data is missing. The history does
   * not cover the slots of a Cluster; there, only the markers that this node has seen count.
   *
   * <p>The first use is noted in Redis, recorded in the history, and only then followed by the
   * marker: whichever of the answers is lost, the next call begins again.
   *
   * @param preparedBefore the value of {@link #prepared} before the script was sent: another caller
   *     may have prepared the markers since
   * @throws StoreException of the outcome {@code NONE}: the script has done nothing
   */
  void prepare(int slot, byte[] reply, long preparedBefore, StoreClock clock) {
    try {
      prepareOnce(slot, reply, preparedBefore, clock);
    } catch (StoreException e) {
      throw e.withOutcome(StoreException.Outcome.NONE);
    }
  }

  private void prepareOnce(int slot, byte[] reply, long preparedBefore, StoreClock clock) {
    if (redis.isCluster() && reply.length == OTHER_SERVER_BYTES) {
      make(slot, slot + 1, clock);
      return;
    }
    preparing.lock();
    try {
      if (prepared == preparedBefore) {
        failure.run(
            () -> {
              history.prepare(redis.name(), past -> prepare(past, clock));
              // Only now: nothing is granted without a marker, so nothing before its use is known.
              inChunks((from, to) -> make(from, to, clock));
            });
        prepared = preparedBefore + 1;
      }
    } finally {
      preparing.unlock();
    }
  }

  private void prepare(StoreHistory.Past past, StoreClock clock) {
    past.latest().ifPresent(mark -> saw(ONLY_SLOT, Marker.of(mark)));
    if (past.isFirstUse()) {
      inChunks((from, to) -> mark(from, to, clock, FIRST_USE).forEach(redis::await));
    }
  }

  /** The slots from a number up to another one, without that. */
  @FunctionalInterface
  private interface Slots {
    void accept(int from, int to);
  }

  private void inChunks(Slots work) {
    for (int from = 0; from < seen.length(); from += CHUNK) {
      work.accept(from, Math.min(from + CHUNK, seen.length()));
    }
  }

  private void make(int from, int to, StoreClock clock) {
    List<RedisCall<byte[]>> replies = mark(from, to, clock, MAKE);
    for (int slot = from; slot < to; slot++) {
      saw(slot, redis.await(replies.get(slot - from)));
    }
  }

  private List<RedisCall<byte[]>> mark(int from, int to, StoreClock clock, byte[] how) {
    List<RedisCall<byte[]>> replies = new ArrayList<>(to - from);
    for (int slot = from; slot < to; slot++) {
      byte[][] keys = {key(slot)};
      replies.add(redis.run(Script.MARK, keys, clock.argument(), latest(slot), how));
    }
    return replies;
  }

  private void saw(int slot, byte[] marker) {
    saw(slot, Marker.read(ByteBuffer.wrap(marker).order(ByteOrder.LITTLE_ENDIAN)));
  }

  /**
   * Checks whether Redis has lost data, so that a loss is detected soon even without requests, and
   * reports the latest marker to the history. On a Cluster, each call checks some of the slots.
   * Only one thread may call this.
   */
  void look() {
    int from = nextSlot;
    int to = Math.min(from + CHUNK, seen.length());
    nextSlot = to % seen.length();
    look(from, to, READ);
    Marker latest = seen.get(ONLY_SLOT);
    if (!redis.isCluster() && latest != null && !latest.equals(reported)) {
      history.saw(redis.name(), latest.mark());
      reported = latest;
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
      replies.add(redis.run(Script.LOOK, keys, StoreClock.REDIS.argument(), latest(slot), how));
    }
    for (int slot = from; slot < to; slot++) {
      byte[] reply = redis.await(replies.get(slot - from));
      if (isUnprepared(reply)) {
        prepare(slot, reply, preparedBefore, StoreClock.REDIS);
      } else {
        saw(slot, reply);
      }
    }
  }
}
