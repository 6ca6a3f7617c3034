package dev.weir.limits.memory;

import dev.weir.internal.Micros;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Decision;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.LimitStore;
import dev.weir.limits.Policy;
import dev.weir.limits.Refund;
import dev.weir.limits.TokenBucket;
import dev.weir.limits.Usage;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * A limit store in the memory of this process: the embedded default, and the store that a node
 * falls back to.
 *
 * <p>Keys are kept as keyed 128-bit hashes in tables of longs, about 45 bytes per key. A key is
 * removed once its usage equals that of a new key; there is no thread for that, callers sweep a few
 * entries from time to time. If too many keys are in use, requests for new ones fail with {@link
 * dev.weir.StoreException}, so that no count is lost; those of a policy do so earlier, when it has
 * as many keys as are free, so that one policy cannot use up the store. Remembered request ids take
 * up to a quarter of the heap; beyond that, requests with new ids fail in the same way.
 * Thread-safe.
 *
 * <p>Under load, {@link #take} may grant by a clock that is half a millisecond late; it never
 * refuses by it. Everything else uses the exact time.
 */
public final class MemoryLimitStore implements LimitStore {
  /** The memory of a key, at most: while its table grows, a third of the table is free. */
  private static final long BYTES_A_KEY = 64;

  /** The default maximum number of keys: as many as fit in a quarter of the heap. */
  public static final long DEFAULT_MAX_KEYS =
      Math.max(1_000, Runtime.getRuntime().maxMemory() / 4 / BYTES_A_KEY);

  private final BusyClock clock;
  private final KeyHash hash = new KeyHash(new SecureRandom());
  private final KeyCounts keys;
  private final UsageTable counts;
  private final UsageTable slidingCounts;
  private final GrantedRequests requests;

  public MemoryLimitStore() {
    this(DEFAULT_MAX_KEYS);
  }

  /**
   * Creates a store with its own capacity.
   *
   * @param maxKeys the maximum number of keys in use, and of remembered request ids. A key takes up
   *     to 64 bytes
   */
  public MemoryLimitStore(long maxKeys) {
    this(new BusyClock(), maxKeys);
  }

  /** Creates a store that uses the given clock. */
  public MemoryLimitStore(InstantSource clock) {
    this(clock, DEFAULT_MAX_KEYS);
  }

  /** Creates a store that uses the given clock and has its own capacity. */
  public MemoryLimitStore(InstantSource clock, long maxKeys) {
    this(BusyClock.exact(() -> Micros.ceil(clock.instant())), maxKeys);
  }

  private MemoryLimitStore(BusyClock clock, long maxKeys) {
    if (maxKeys < 1) {
      throw new IllegalArgumentException("maxKeys must be at least 1, not " + maxKeys);
    }
    this.clock = clock;
    this.keys = new KeyCounts(maxKeys);
    this.counts = new UsageTable(EntryLayout.LONGS_WITHOUT_BEFORE, maxKeys, keys);
    this.slidingCounts = new UsageTable(EntryLayout.LONGS_WITH_BEFORE, maxKeys, keys);
    this.requests = new GrantedRequests(maxKeys, GrantedRequests.SHARE_OF_HEAP_BYTES);
  }

  @Override
  public boolean take(Policy policy, String key, long cost) {
    Limit limit = policy.limit();
    limit.requireCost(cost);
    long now = clock.cheapMicros();
    KeyHash.Prefix prefix = hash.prefix(limit.kind(), policy.name());
    long word0 = KeyHash.word(key, 0);
    long word1 = KeyHash.word(key, 1);
    long word2 = KeyHash.word(key, 2);
    long first = hash.first(prefix, key, word0, word1, word2);
    long second = hash.second(prefix, key, word0, word1, word2);
    Segment segment = table(limit).segmentOf(first);
    long[] entries = segment.entries();
    int entry = segment.hold(entries, first, second, policy);
    if (entry == Segment.ABSENT) {
      return decideLocked(
              policy, cost, clock.read(), first, second, segment, (decision, at) -> decision)
          .isAllowed();
    }
    boolean isTaken;
    try {
      long caughtUp = clock.caughtUp(now, EntryLayout.atMicros(entries, entry));
      isTaken = take(limit, cost, entries, entry, caughtUp);
    } finally {
      EntryLayout.release(entries, entry);
    }
    table(limit).sweepNow(now);
    return isTaken;
  }

  private boolean take(Limit limit, long cost, long[] entries, int entry, long now) {
    return EntryTransitions.take(limit, entries, entry, cost, now)
        || EntryTransitions.take(limit, entries, entry, cost, clock.exactMicros());
  }

  @Override
  public Decision decide(Policy policy, String key, long cost) {
    return decide(policy, key, cost, (decision, now) -> decision);
  }

  private <R> R decide(Policy policy, String key, long cost, Answer<R> answer) {
    Limit limit = policy.limit();
    limit.requireCost(cost);
    long read = clock.exactMicros();
    KeyHash.Prefix prefix = hash.prefix(limit.kind(), policy.name());
    long word0 = KeyHash.word(key, 0);
    long word1 = KeyHash.word(key, 1);
    long word2 = KeyHash.word(key, 2);
    long first = hash.first(prefix, key, word0, word1, word2);
    long second = hash.second(prefix, key, word0, word1, word2);
    Segment segment = table(limit).segmentOf(first);
    long[] entries = segment.entries();
    int entry = segment.hold(entries, first, second, policy);
    if (entry == Segment.ABSENT) {
      return decideLocked(
          policy, cost, new BusyClock.Reading(clock, read), first, second, segment, answer);
    }
    long now;
    Decision decision;
    try {
      now = clock.caughtUp(read, EntryLayout.atMicros(entries, entry));
      decision = EntryTransitions.decide(limit, entries, entry, cost, now);
    } finally {
      EntryLayout.release(entries, entry);
    }
    table(limit).sweepNow(now);
    return answer.of(decision, now);
  }

  /** Decides for a key that is new, was written under another limit, or is contended. */
  private <R> R decideLocked(
      Policy policy,
      long cost,
      BusyClock.Reading read,
      long first,
      long second,
      Segment segment,
      Answer<R> answer) {
    UsageTable table = table(policy.limit());
    R result;
    segment.lock();
    try {
      result = segment.decide(policy, cost, read, first, second, table, answer);
    } finally {
      segment.unlock();
    }
    table.sweepNow(read.micros());
    return result;
  }

  @Override
  public AcquireResult decide(AcquireRequest request) {
    if (!request.isRepeatable()) {
      return decideOnce(request);
    }
    return requests.grantOnce(request, this::decideOnce, clock::exactMicros);
  }

  private AcquireResult decideOnce(AcquireRequest request) {
    if (request.parts().size() == 1 && request.delays().isEmpty()) {
      LimitRequest part = request.parts().getFirst();
      return decide(
          part.policy(),
          part.key(),
          part.cost(),
          (decision, now) -> LockedRequests.result(List.of(decision), now));
    }
    BusyClock.Reading read = clock.read();
    LockedRequests.Decided decided;
    try (LockedRequests locked = lock(request.takingParts())) {
      decided = locked.decide(read);
    }
    counts.sweepNow(read.micros());
    slidingCounts.sweepNow(read.micros());
    return LockedRequests.result(request.merged(decided.decisions()), decided.nowMicros());
  }

  @Override
  public AcquireResult peek(AcquireRequest request) {
    try (LockedRequests locked = lock(request.takingParts())) {
      long now = clock.exactMicros();
      return LockedRequests.result(request.merged(locked.peek(now)), now);
    }
  }

  @Override
  public Optional<AcquireResult> recall(AcquireRequest request) {
    return requests.recall(request, clock.exactMicros());
  }

  @Override
  public Refund refund(AcquireRequest request, Instant grantedAt) {
    if (request.isRepeatable()) {
      return requests.refund(request, clock.exactMicros(), this::giveBack);
    }
    giveBack(request, grantedAt);
    return Refund.GIVEN_BACK;
  }

  private void giveBack(AcquireRequest request, Instant grantedAt) {
    try (LockedRequests locked = lock(request.takingParts())) {
      locked.refund(Micros.clamped(grantedAt), clock.read());
    }
  }

  @Override
  public Usage usage(Policy policy, String key) {
    try (LockedRequests locked = lock(List.of(LimitRequest.of(policy, key)))) {
      return locked.usage(0);
    }
  }

  @Override
  public void forget(Policy policy, String key) {
    try (LockedRequests locked = lock(List.of(LimitRequest.of(policy, key)))) {
      locked.forget(0);
    }
  }

  /** Walks through all keys; those of one of many small segments are locked at a time. */
  @Override
  public void settle(Policy policy) {
    table(policy.limit()).settleAll(policy, clock.read());
  }

  @Override
  public void settle(Policy policy, String key) {
    try (LockedRequests locked = lock(List.of(LimitRequest.of(policy, key)))) {
      locked.settle(0, clock.read());
    }
  }

  /** Returns the number of keys in use, including idle ones that have not been swept yet. */
  public long keys() {
    return keys.total();
  }

  /** Removes all idle keys immediately; calls otherwise do so little by little. */
  public void sweep() {
    long now = clock.exactMicros();
    counts.sweepAll(now);
    slidingCounts.sweepAll(now);
  }

  /** Does nothing: there is no thread to stop. */
  @Override
  public void close() {}

  private LockedRequests lock(List<LimitRequest> parts) {
    return LockedRequests.lock(parts, hash, this::table);
  }

  private UsageTable table(Limit limit) {
    return limit instanceof TokenBucket || limit instanceof FixedWindow ? counts : slidingCounts;
  }
}
