package dev.weir.store.redis;

import dev.weir.core.Micros;
import dev.weir.core.limits.Usage;
import dev.weir.engine.Batcher;
import dev.weir.engine.StoreException;
import dev.weir.engine.limits.AcquireRequest;
import dev.weir.engine.limits.AcquireResult;
import dev.weir.engine.limits.LimitRequest;
import dev.weir.engine.limits.LimitStore;
import dev.weir.engine.limits.Policy;
import dev.weir.engine.limits.Refund;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Limits in Redis. Each demand is one atomic step of a script, by Redis' own clock; demands that
 * come while others are under way share a call. On a Cluster, a demand whose keys lie in several
 * slots is decided by each of them, see {@link SlotBySlot}.
 *
 * <p>A call that fails without an answer may have been done all the same: what it took is then
 * taken, never too little. A demand with a request id can be repeated safely.
 *
 * <p>A Redis that has lost its counts, by a restart, a flush, an old snapshot or a replica that was
 * far behind, is noticed by the first call after it. Of policies that are {@link
 * dev.weir.engine.limits.OnStoreFailure#CLOSED} or {@code FALLBACK} and were made before, all is
 * then taken as used at that time. Losses of less than about a second are not noticed.
 */
public final class RedisLimitStore implements LimitStore {
  /** So many demands, at most, hold Redis in one call, for two or three milliseconds. */
  private static final int LARGEST_BATCH = 256;

  /** While Redis works on one call, the callers of the other are answered and ask again. */
  private static final int MOST_CALLS = 2;

  private final Redis redis;
  private final StoreClock clock;
  private final IntConsumer batches;
  private final Batcher<LimitCall, CallResult> batcher;
  private final Runnable onClose;

  /**
   * Returns a store with a connection of its own, which it closes when it is closed. Connects when
   * it is first used, and again after each loss.
   *
   * @param uri such as {@code redis://:password@host:6379}; see {@link RedisSettings}
   */
  public static RedisLimitStore connect(String uri) {
    Redis redis = Redis.open(RedisSettings.of(uri));
    return new RedisLimitStore(redis, StoreClock.OF_REDIS, demands -> {}, redis::close);
  }

  /** Returns a store on a connection that stays open when the store is closed. */
  public RedisLimitStore(Redis redis) {
    this(redis, StoreClock.OF_REDIS);
  }

  /**
   * A store that is watched.
   *
   * @param batches told how many demands go together, each time
   */
  public RedisLimitStore(Redis redis, IntConsumer batches) {
    this(redis, StoreClock.OF_REDIS, batches, () -> {});
  }

  RedisLimitStore(Redis redis, StoreClock clock) {
    this(redis, clock, demands -> {}, () -> {});
  }

  private RedisLimitStore(Redis redis, StoreClock clock, IntConsumer batches, Runnable onClose) {
    this.onClose = onClose;
    this.redis = redis;
    this.clock = clock;
    this.batches = batches;
    this.batcher =
        new Batcher<LimitCall, CallResult>(
                this::work, LARGEST_BATCH, redis.settings().maxWaiting(), MOST_CALLS)
            .withMaxWait(redis.settings().commandTimeout());
  }

  @Override
  public boolean take(Policy policy, String key, long cost) {
    LimitRequest ask = new LimitRequest(policy, key, cost);
    return submit(
            LimitCall.Single.of(redis.names(), LimitCall.Mode.TAKE, ask), CallResult.Taken.class)
        .isTaken();
  }

  @Override
  public AcquireResult decide(AcquireRequest demand) {
    if (demand.asks().size() == 1 && !demand.isRepeatable() && demand.waits().isEmpty()) {
      return answer(
          LimitCall.Single.of(redis.names(), LimitCall.Mode.DECIDE_ONE, demand.asks().getFirst()));
    }
    return isBound(demand) ? decideBound(demand) : decideWhole(demand);
  }

  private AcquireResult decideWhole(AcquireRequest demand) {
    SlotBySlot spread = spread(demand);
    return spread == null
        ? answer(call(LimitCall.Mode.DECIDE, demand, Micros.floor(demand.requestTtl())))
        : spread.decide();
  }

  /** Whether the record of a demand is no proof for other demands with its request id. */
  private boolean isBound(AcquireRequest demand) {
    return redis.isCluster() && demand.isRepeatable() && !demand.asks().isEmpty();
  }

  /**
   * Decides a demand with a request id on a Cluster. Its record lies in the slot of its keys, where
   * another demand with the same id may not look; so the id is first bound to the request in a slot
   * of its own. That is a step by itself: of two different requests that come with one id at the
   * same moment, one is refused for it; but if one of two equal ones is granted while the other is
   * refused, the id may be left unbound, and another request in another slot then be granted.
   */
  private AcquireResult decideBound(AcquireRequest demand) {
    AcquireRequest binding = binding(demand);
    AcquireResult bound = decideWhole(binding);
    if (bound.isReused()) {
      return bound;
    }
    AcquireResult answer = decideWhole(demand);
    if (!answer.isAllowed() && !bound.isReplayed()) {
      refund(binding, bound.decidedAt());
    }
    return answer;
  }

  private static AcquireRequest binding(AcquireRequest demand) {
    return new AcquireRequest(List.of(), Map.of(), demand.request());
  }

  @Override
  public Optional<AcquireResult> recall(AcquireRequest demand) {
    SlotBySlot spread = spread(demand);
    if (spread != null) {
      return StoreException.whileReading(spread::recall);
    }
    LimitCall call = call(LimitCall.Mode.RECALL, demand, 0);
    CallResult outcome = StoreException.whileReading(() -> submit(call, CallResult.class));
    return outcome instanceof CallResult.Answered answered
        ? Optional.of(answered.answer())
        : Optional.empty();
  }

  @Override
  public AcquireResult peek(AcquireRequest demand) {
    SlotBySlot spread = spread(demand);
    return StoreException.whileReading(
        () -> spread == null ? answer(call(LimitCall.Mode.PEEK, demand, 0)) : spread.peek());
  }

  /** Writes the marker of the slot: a Redis that is full or a replica answers all that reads. */
  @Override
  public void probe(AcquireRequest demand) {
    String key =
        demand.asks().isEmpty()
            ? redis.names().binding(demand.requestId())
            : redis
                .names()
                .usage(demand.asks().getFirst().policy(), demand.asks().getFirst().key());
    redis.markers().probe(redis.markers().slot(key));
  }

  @Override
  public Refund refund(AcquireRequest demand, Instant grantedAt) {
    SlotBySlot spread = spread(demand);
    LimitCall call = call(LimitCall.Mode.REFUND, demand, Micros.clamped(grantedAt));
    Refund refund =
        spread == null
            ? submit(call, CallResult.GivenBack.class).refund()
            : spread.refund(grantedAt);
    if (!isBound(demand)) {
      return refund;
    }
    Refund bound = refund(binding(demand), grantedAt);
    return refund == Refund.UNKNOWN && bound == Refund.REUSED ? bound : refund;
  }

  @Override
  public Usage usage(Policy policy, String key) {
    byte[] name = KeyNames.bytes(redis.names().usage(policy, key));
    return StoreException.whileReading(
        () -> LimitCalls.usage(redis.await(redis.send(name, commands -> commands.get(name)))));
  }

  @Override
  public void forget(Policy policy, String key) {
    byte[] name = KeyNames.bytes(redis.names().usage(policy, key));
    redis.await(redis.send(name, commands -> commands.del(name)));
  }

  /** Closes the connection if it belongs to this store. */
  @Override
  public void close() {
    onClose.run();
  }

  private LimitCall call(LimitCall.Mode mode, AcquireRequest demand, long micros) {
    return LimitCall.Whole.of(redis.names(), redis.isCluster(), mode, demand, micros);
  }

  private AcquireResult answer(LimitCall call) {
    return submit(call, CallResult.Answered.class).answer();
  }

  /** The demand slot by slot, if its keys lie in several; else null. */
  private @Nullable SlotBySlot spread(AcquireRequest demand) {
    if (!redis.isCluster() || demand.asks().size() <= 1) {
      return null;
    }
    SlotBySlot spread = new SlotBySlot(redis.names(), demand, this::submit);
    return spread.isNeeded() ? spread : null;
  }

  private <O extends CallResult> O submit(LimitCall call, Class<O> expected) {
    return known(submit(List.of(call)).getFirst(), expected);
  }

  private List<CallResult> submit(List<LimitCall> calls) {
    List<CallResult> outcomes = batcher.submit(calls);
    List<CallResult> whole = new ArrayList<>(outcomes.size());
    for (int i = 0; i < outcomes.size(); i++) {
      CallResult outcome = outcomes.get(i);
      boolean isTorn =
          outcome instanceof CallResult.Failed failed && Redis.isTorn(failed.failure());
      // Others of its slot may be what Redis cannot decide about.
      whole.add(isTorn ? whole(calls.get(i)) : outcome);
    }
    return whole;
  }

  private CallResult whole(LimitCall call) {
    try {
      return redis.whole(() -> alone(call));
    } catch (StoreException e) {
      return new CallResult.Failed(e);
    }
  }

  private CallResult alone(LimitCall call) {
    LimitCalls calls = LimitCalls.alone(redis, clock, call);
    calls.start();
    CallResult[] outcomes = new CallResult[1];
    calls.finish(redis.deadlineNanos(), outcomes);
    return known(outcomes[0], CallResult.class);
  }

  private static <O extends CallResult> O known(CallResult outcome, Class<O> expected) {
    if (outcome instanceof CallResult.Failed failed) {
      throw StoreException.shared(failed.failure());
    }
    return expected.cast(outcome);
  }

  /** One script call for all of them; on a Cluster, one for each slot. */
  private List<CallResult> work(List<LimitCall> calls) {
    batches.accept(calls.size());
    Map<Integer, LimitCalls> slots = new LinkedHashMap<>();
    for (int i = 0; i < calls.size(); i++) {
      LimitCall call = calls.get(i);
      slots
          .computeIfAbsent(
              redis.markers().slot(call.key()), slot -> new LimitCalls(redis, clock, slot))
          .add(call, i);
    }
    slots.values().forEach(LimitCalls::start);
    long deadlineNanos = redis.deadlineNanos();
    CallResult[] outcomes = new CallResult[calls.size()];
    slots.values().forEach(group -> group.finish(deadlineNanos, outcomes));
    return List.of(outcomes);
  }
}
