package dev.weir.engine.limits;

import dev.weir.core.Micros;
import dev.weir.core.limits.Decision;
import dev.weir.core.limits.FixedWindow;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.TokenBucket;
import dev.weir.core.limits.Usage;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.List;
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
public final class MemoryLimitStore implements LimitStore<Limit> {
  /** So many keys may be in use unless told otherwise: about half a gigabyte. */
  public static final long DEFAULT_MOST_KEYS = 10_000_000;

  private static final int LONGS = 4;
  private static final int LONGS_WITH_BEFORE = 5;

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
    this.counts = new UsageTable(LONGS, mostKeys, keys);
    this.slidingCounts = new UsageTable(LONGS_WITH_BEFORE, mostKeys, keys);
    this.requests = new GrantedRequests(mostKeys);
  }

  @Override
  public boolean take(Policy<? extends Limit> policy, String key, long cost) {
    Limit limit = policy.limit();
    limit.requireCost(cost);
    UsageTable table = table(limit);
    KeyHash.Prefix prefix = hash.prefix(kind(limit), policy.name());
    long word0 = KeyHash.word(key, 0);
    long word1 = KeyHash.word(key, 1);
    long word2 = KeyHash.word(key, 2);
    long first = hash.first(prefix, key, word0, word1, word2);
    long second = hash.second(prefix, key, word0, word1, word2);
    Segment segment = table.segmentOf(first);
    long now = clock.cheapMicros();
    boolean isSweeper;
    boolean isTaken;
    segment.lock();
    try {
      isSweeper = segment.isSweeper();
      isTaken =
          Counting.take(limit, table, segment, first, second, cost, now)
              || Counting.take(limit, table, segment, first, second, cost, clock.exactMicros());
    } finally {
      segment.unlock();
    }
    if (isSweeper) {
      table.sweepNext(now);
    }
    return isTaken;
  }

  @Override
  public Decision decide(Policy<? extends Limit> policy, String key, long cost) {
    return decide(policy, key, cost, clock.exactMicros());
  }

  private Decision decide(Policy<? extends Limit> policy, String key, long cost, long now) {
    Limit limit = policy.limit();
    limit.requireCost(cost);
    UsageTable table = table(limit);
    KeyHash.Prefix prefix = hash.prefix(kind(limit), policy.name());
    long word0 = KeyHash.word(key, 0);
    long word1 = KeyHash.word(key, 1);
    long word2 = KeyHash.word(key, 2);
    long first = hash.first(prefix, key, word0, word1, word2);
    long second = hash.second(prefix, key, word0, word1, word2);
    Segment segment = table.segmentOf(first);
    boolean isSweeper;
    Decision decision;
    segment.lock();
    try {
      isSweeper = segment.isSweeper();
      decision = Counting.decide(limit, table, segment, first, second, cost, now);
    } finally {
      segment.unlock();
    }
    if (isSweeper) {
      table.sweepNext(now);
    }
    return decision;
  }

  @Override
  public Answer decide(Demand<? extends Limit> demand) {
    if (!demand.isRepeatable()) {
      return decideOnce(demand);
    }
    return requests.grantOnce(demand, this::decideOnce, clock::exactMicros);
  }

  private Answer decideOnce(Demand<? extends Limit> demand) {
    if (demand.asks().size() == 1) {
      Ask<? extends Limit> ask = demand.asks().getFirst();
      long now = clock.exactMicros();
      return LockedAsks.answer(List.of(decide(ask.policy(), ask.key(), ask.cost(), now)), now);
    }
    try (LockedAsks asks = lock(demand)) {
      return asks.decide(clock.exactMicros());
    }
  }

  @Override
  public Answer peek(Demand<? extends Limit> demand) {
    try (LockedAsks asks = lock(demand)) {
      return asks.peek(clock.exactMicros());
    }
  }

  @Override
  public void refund(Demand<? extends Limit> demand, Instant grantedAt) {
    if (demand.isRepeatable() && !requests.forget(demand.requestId(), clock.exactMicros())) {
      return;
    }
    try (LockedAsks asks = lock(demand)) {
      asks.refund(Micros.clamped(grantedAt), clock.exactMicros());
    }
  }

  @Override
  public Usage usage(Policy<? extends Limit> policy, String key) {
    try (LockedAsks asks = lock(Demand.of(Ask.of(policy, key)))) {
      return asks.usage(0);
    }
  }

  @Override
  public void forget(Policy<? extends Limit> policy, String key) {
    try (LockedAsks asks = lock(Demand.of(Ask.of(policy, key)))) {
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

  private LockedAsks lock(Demand<? extends Limit> demand) {
    return LockedAsks.lock(demand, hash, this::table);
  }

  private UsageTable table(Limit limit) {
    return limit instanceof TokenBucket || limit instanceof FixedWindow ? counts : slidingCounts;
  }

  /** A number for each kind of limit, as part of what is hashed. */
  static int kind(Limit limit) {
    return limit instanceof TokenBucket ? 1 : limit instanceof FixedWindow ? 2 : 3;
  }
}
