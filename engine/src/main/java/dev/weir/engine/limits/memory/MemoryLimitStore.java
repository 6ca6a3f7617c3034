package dev.weir.engine.limits.memory;

import dev.weir.core.Micros;
import dev.weir.core.limits.Decision;
import dev.weir.core.limits.FixedWindow;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.TokenBucket;
import dev.weir.core.limits.Usage;
import dev.weir.engine.limits.AcquireRequest;
import dev.weir.engine.limits.AcquireResult;
import dev.weir.engine.limits.LimitRequest;
import dev.weir.engine.limits.LimitStore;
import dev.weir.engine.limits.Policy;
import dev.weir.engine.limits.Refund;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Counts in the memory of this process: the embedded default, and what a node falls back to.
 *
 * <p>Keys are kept as keyed hashes of 128 bits in tables of longs, some 45 bytes a key. A key
 * vanishes by itself once what it used equals nothing; there is no thread for that, callers sweep a
 * few places now and then. When more keys are in use than there may be, new ones are told {@link
 * dev.weir.engine.StoreException} rather than that a count is lost. Thread-safe.
 *
 * <p>Under load {@link #take} may grant by a clock that is half a millisecond late; it never
 * refuses by it. Everything else goes by the exact time.
 */
public final class MemoryLimitStore implements LimitStore {
  /** So many keys may be in use unless told otherwise: about half a gigabyte. */
  public static final long DEFAULT_MOST_KEYS = 10_000_000;

  private final BusyClock clock;
  private final KeyHash hash = new KeyHash(new SecureRandom());
  private final AtomicLong keys = new AtomicLong();
  private final UsageTable counts;
  private final UsageTable slidingCounts;
  private final GrantedRequests requests;

  public MemoryLimitStore() {
    this(DEFAULT_MOST_KEYS);
  }

  /**
   * A store with a bound of its own.
   *
   * @param mostKeys so many keys may be in use, and so many request ids be remembered
   */
  public MemoryLimitStore(long mostKeys) {
    this(new BusyClock(), mostKeys);
  }

  /** A store that goes by the given clock, in microseconds since the epoch. */
  public MemoryLimitStore(LongSupplier nowMicros, long mostKeys) {
    this(BusyClock.exact(nowMicros), mostKeys);
  }

  private MemoryLimitStore(BusyClock clock, long mostKeys) {
    if (mostKeys < 1) {
      throw new IllegalArgumentException("mostKeys must be at least 1, not " + mostKeys);
    }
    this.clock = clock;
    this.counts = new UsageTable(EntryLayout.LONGS_WITHOUT_BEFORE, mostKeys, keys);
    this.slidingCounts = new UsageTable(EntryLayout.LONGS_WITH_BEFORE, mostKeys, keys);
    this.requests = new GrantedRequests(mostKeys);
  }

  @Override
  public boolean take(Policy policy, String key, long cost) {
    Limit limit = policy.limit();
    limit.requireCost(cost);
    long now = clock.cheapMicros();
    KeyHash.Prefix prefix = hash.prefix(kind(limit), policy.name());
    long word0 = KeyHash.word(key, 0);
    long word1 = KeyHash.word(key, 1);
    long word2 = KeyHash.word(key, 2);
    long first = hash.first(prefix, key, word0, word1, word2);
    long second = hash.second(prefix, key, word0, word1, word2);
    Segment segment = table(limit).segmentOf(first);
    long[] places = segment.places();
    int place = segment.hold(places, first, second, limit);
    if (place == Segment.ABSENT) {
      return decideLocked(limit, cost, clock.exactMicros(), first, second, segment).isAllowed();
    }
    boolean isTaken;
    try {
      isTaken = take(limit, cost, places, place, now);
    } finally {
      EntryLayout.letGo(places, place);
    }
    table(limit).sweepNow(now);
    return isTaken;
  }

  private boolean take(Limit limit, long cost, long[] places, int place, long now) {
    return EntryTransitions.take(limit, places, place, cost, now)
        || EntryTransitions.take(limit, places, place, cost, clock.exactMicros());
  }

  @Override
  public Decision decide(Policy policy, String key, long cost) {
    return decide(policy, key, cost, clock.exactMicros());
  }

  private Decision decide(Policy policy, String key, long cost, long now) {
    Limit limit = policy.limit();
    limit.requireCost(cost);
    KeyHash.Prefix prefix = hash.prefix(kind(limit), policy.name());
    long word0 = KeyHash.word(key, 0);
    long word1 = KeyHash.word(key, 1);
    long word2 = KeyHash.word(key, 2);
    long first = hash.first(prefix, key, word0, word1, word2);
    long second = hash.second(prefix, key, word0, word1, word2);
    Segment segment = table(limit).segmentOf(first);
    long[] places = segment.places();
    int place = segment.hold(places, first, second, limit);
    if (place == Segment.ABSENT) {
      return decideLocked(limit, cost, now, first, second, segment);
    }
    Decision decision;
    try {
      decision = EntryTransitions.decide(limit, places, place, cost, now);
    } finally {
      EntryLayout.letGo(places, place);
    }
    table(limit).sweepNow(now);
    return decision;
  }

  /** Decides for a key that is new, was written under other terms, or is much asked for. */
  private Decision decideLocked(
      Limit limit, long cost, long now, long first, long second, Segment segment) {
    UsageTable table = table(limit);
    Decision decision;
    segment.lock();
    try {
      decision = segment.decide(limit, cost, now, first, second, table);
    } finally {
      segment.unlock();
    }
    table.sweepNow(now);
    return decision;
  }

  @Override
  public AcquireResult decide(AcquireRequest demand) {
    if (!demand.isRepeatable()) {
      return decideOnce(demand);
    }
    return requests.grantOnce(demand, this::decideOnce, clock::exactMicros);
  }

  private AcquireResult decideOnce(AcquireRequest demand) {
    long now = clock.exactMicros();
    if (demand.asks().size() == 1 && demand.waits().isEmpty()) {
      LimitRequest ask = demand.asks().getFirst();
      return LockedRequests.answer(List.of(decide(ask.policy(), ask.key(), ask.cost(), now)), now);
    }
    List<Decision> decisions;
    try (LockedRequests asks = lock(demand.taking())) {
      decisions = asks.decide(now);
    }
    counts.sweepNow(now);
    slidingCounts.sweepNow(now);
    return LockedRequests.answer(demand.merged(decisions), now);
  }

  @Override
  public AcquireResult peek(AcquireRequest demand) {
    try (LockedRequests asks = lock(demand.taking())) {
      long now = clock.exactMicros();
      return LockedRequests.answer(demand.merged(asks.peek(now)), now);
    }
  }

  @Override
  public Optional<AcquireResult> recall(AcquireRequest demand) {
    return requests.recall(demand, clock.exactMicros());
  }

  @Override
  public Refund refund(AcquireRequest demand, Instant grantedAt) {
    if (demand.isRepeatable()) {
      return requests.refund(demand, clock.exactMicros(), this::giveBack);
    }
    giveBack(demand, grantedAt);
    return Refund.GIVEN_BACK;
  }

  private void giveBack(AcquireRequest demand, Instant grantedAt) {
    try (LockedRequests asks = lock(demand.taking())) {
      asks.refund(Micros.clamped(grantedAt), clock.exactMicros());
    }
  }

  @Override
  public Usage usage(Policy policy, String key) {
    try (LockedRequests asks = lock(List.of(LimitRequest.of(policy, key)))) {
      return asks.usage(0);
    }
  }

  @Override
  public void forget(Policy policy, String key) {
    try (LockedRequests asks = lock(List.of(LimitRequest.of(policy, key)))) {
      asks.forget(0);
    }
  }

  /** How many keys are in use, those included that are idle and have not been swept yet. */
  public long keys() {
    return keys.get();
  }

  /** Lets all keys vanish that are idle, at once: what calls do little by little. */
  public void sweep() {
    long now = clock.exactMicros();
    counts.sweepAll(now);
    slidingCounts.sweepAll(now);
  }

  /** Nothing is to be closed: there is no thread, and memory is collected. */
  @Override
  public void close() {}

  private LockedRequests lock(List<LimitRequest> asks) {
    return LockedRequests.lock(asks, hash, this::table);
  }

  private UsageTable table(Limit limit) {
    return limit instanceof TokenBucket || limit instanceof FixedWindow ? counts : slidingCounts;
  }

  /** A number for each kind of limit, as part of what is hashed. */
  public static int kind(Limit limit) {
    return limit instanceof TokenBucket ? 1 : limit instanceof FixedWindow ? 2 : 3;
  }
}
