package dev.weir.store.redis;

import dev.weir.core.Micros;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.Usage;
import dev.weir.engine.Batcher;
import dev.weir.engine.StoreException;
import dev.weir.engine.limits.Answer;
import dev.weir.engine.limits.Ask;
import dev.weir.engine.limits.Demand;
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
public final class RedisLimitStore implements LimitStore<Limit> {
  /** So many demands, at most, hold Redis in one call, for two or three milliseconds. */
  private static final int LARGEST_BATCH = 256;

  /** While Redis works on one call, the callers of the other are answered and ask again. */
  private static final int MOST_CALLS = 2;

  private final Redis redis;
  private final StoreClock clock;
  private final IntConsumer batches;
  private final Batcher<LimitCall, Outcome> batcher;

  public RedisLimitStore(Redis redis) {
    this(redis, StoreClock.OF_REDIS);
  }

  /**
   * A store that is watched.
   *
   * @param batches told how many demands go together, each time
   */
  public RedisLimitStore(Redis redis, IntConsumer batches) {
    this(redis, StoreClock.OF_REDIS, batches);
  }

  RedisLimitStore(Redis redis, StoreClock clock) {
    this(redis, clock, demands -> {});
  }

  private RedisLimitStore(Redis redis, StoreClock clock, IntConsumer batches) {
    this.redis = redis;
    this.clock = clock;
    this.batches = batches;
    this.batcher =
        new Batcher<LimitCall, Outcome>(
                this::work, LARGEST_BATCH, redis.settings().mostWaiting(), MOST_CALLS)
            .within(redis.settings().commandTimeout());
  }

  @Override
  public boolean take(Policy<? extends Limit> policy, String key, long cost) {
    Ask<? extends Limit> ask = new Ask<>(policy, key, cost);
    return submit(LimitCall.Single.of(redis.names(), LimitCall.Mode.TAKE, ask), Outcome.Taken.class)
        .isTaken();
  }

  @Override
  public Answer decide(Demand<? extends Limit> demand) {
    if (demand.asks().size() == 1 && !demand.isRepeatable() && demand.waits().isEmpty()) {
      return answer(
          LimitCall.Single.of(redis.names(), LimitCall.Mode.DECIDE_ONE, demand.asks().getFirst()));
    }
    return isBound(demand) ? decideBound(demand) : decideWhole(demand);
  }

  private Answer decideWhole(Demand<? extends Limit> demand) {
    SlotBySlot spread = spread(demand);
    return spread == null
        ? answer(call(LimitCall.Mode.DECIDE, demand, Micros.floor(demand.requestTtl())))
        : spread.decide();
  }

  /** Whether the record of a demand is no proof for other demands with its request id. */
  private boolean isBound(Demand<? extends Limit> demand) {
    return redis.isCluster() && demand.isRepeatable() && !demand.asks().isEmpty();
  }

  /**
   * Decides a demand with a request id on a Cluster. Its record lies in the slot of its keys, where
   * another demand with the same id may not look; so the id is first bound to the request in a slot
   * of its own. That is a step by itself: of two different requests that come with one id at the
   * same moment, one is refused for it; but if one of two equal ones is granted while the other is
   * refused, the id may be left unbound, and another request in another slot then be granted.
   */
  private Answer decideBound(Demand<? extends Limit> demand) {
    Demand<Limit> binding = binding(demand);
    Answer bound = decideWhole(binding);
    if (bound.isReused()) {
      return bound;
    }
    Answer answer = decideWhole(demand);
    if (!answer.isAllowed() && !bound.isReplayed()) {
      refund(binding, bound.decidedAt());
    }
    return answer;
  }

  private static Demand<Limit> binding(Demand<? extends Limit> demand) {
    return new Demand<>(List.of(), Map.of(), demand.request());
  }

  @Override
  public Optional<Answer> recall(Demand<? extends Limit> demand) {
    SlotBySlot spread = spread(demand);
    if (spread != null) {
      return StoreException.whileReading(spread::recall);
    }
    LimitCall call = call(LimitCall.Mode.RECALL, demand, 0);
    Outcome outcome = StoreException.whileReading(() -> submit(call, Outcome.class));
    return outcome instanceof Outcome.Answered answered
        ? Optional.of(answered.answer())
        : Optional.empty();
  }

  @Override
  public Answer peek(Demand<? extends Limit> demand) {
    SlotBySlot spread = spread(demand);
    return StoreException.whileReading(
        () -> spread == null ? answer(call(LimitCall.Mode.PEEK, demand, 0)) : spread.peek());
  }

  /** Writes the marker of the slot: a Redis that is full or a replica answers all that reads. */
  @Override
  public void probe(Demand<? extends Limit> demand) {
    String key =
        demand.asks().isEmpty()
            ? redis.names().binding(demand.requestId())
            : redis
                .names()
                .usage(demand.asks().getFirst().policy(), demand.asks().getFirst().key());
    redis.markers().probe(redis.markers().slot(key));
  }

  @Override
  public Refund refund(Demand<? extends Limit> demand, Instant grantedAt) {
    SlotBySlot spread = spread(demand);
    LimitCall call = call(LimitCall.Mode.REFUND, demand, Micros.clamped(grantedAt));
    Refund refund =
        spread == null ? submit(call, Outcome.GivenBack.class).refund() : spread.refund(grantedAt);
    if (!isBound(demand)) {
      return refund;
    }
    Refund bound = refund(binding(demand), grantedAt);
    return refund == Refund.UNKNOWN && bound == Refund.REUSED ? bound : refund;
  }

  @Override
  public Usage usage(Policy<? extends Limit> policy, String key) {
    byte[] name = KeyNames.bytes(redis.names().usage(policy, key));
    return StoreException.whileReading(
        () -> LimitCalls.usage(redis.await(redis.send(name, commands -> commands.get(name)))));
  }

  @Override
  public void forget(Policy<? extends Limit> policy, String key) {
    byte[] name = KeyNames.bytes(redis.names().usage(policy, key));
    redis.await(redis.send(name, commands -> commands.del(name)));
  }

  /** Leaves Redis connected, for others use it. */
  @Override
  public void close() {}

  private LimitCall call(LimitCall.Mode mode, Demand<? extends Limit> demand, long micros) {
    return LimitCall.Whole.of(redis.names(), redis.isCluster(), mode, demand, micros);
  }

  private Answer answer(LimitCall call) {
    return submit(call, Outcome.Answered.class).answer();
  }

  /** The demand slot by slot, if its keys lie in several; else null. */
  private @Nullable SlotBySlot spread(Demand<? extends Limit> demand) {
    if (!redis.isCluster() || demand.asks().size() <= 1) {
      return null;
    }
    SlotBySlot spread = new SlotBySlot(redis.names(), demand, this::submit);
    return spread.isNeeded() ? spread : null;
  }

  private <O extends Outcome> O submit(LimitCall call, Class<O> expected) {
    return known(submit(List.of(call)).getFirst(), expected);
  }

  private List<Outcome> submit(List<LimitCall> calls) {
    List<Outcome> outcomes = batcher.submit(calls);
    List<Outcome> whole = new ArrayList<>(outcomes.size());
    for (int i = 0; i < outcomes.size(); i++) {
      Outcome outcome = outcomes.get(i);
      boolean isTorn = outcome instanceof Outcome.Failed failed && Redis.isTorn(failed.failure());
      // Others of its slot may be what Redis cannot decide about.
      whole.add(isTorn ? whole(calls.get(i)) : outcome);
    }
    return whole;
  }

  private Outcome whole(LimitCall call) {
    try {
      return redis.whole(() -> alone(call));
    } catch (StoreException e) {
      return new Outcome.Failed(e);
    }
  }

  private Outcome alone(LimitCall call) {
    LimitCalls calls = LimitCalls.alone(redis, clock, call);
    calls.start();
    Outcome[] outcomes = new Outcome[1];
    calls.finish(redis.deadlineNanos(), outcomes);
    return known(outcomes[0], Outcome.class);
  }

  private static <O extends Outcome> O known(Outcome outcome, Class<O> expected) {
    if (outcome instanceof Outcome.Failed failed) {
      throw StoreException.shared(failed.failure());
    }
    return expected.cast(outcome);
  }

  /** One script call for all of them; on a Cluster, one for each slot. */
  private List<Outcome> work(List<LimitCall> calls) {
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
    Outcome[] outcomes = new Outcome[calls.size()];
    slots.values().forEach(group -> group.finish(deadlineNanos, outcomes));
    return List.of(outcomes);
  }
}
