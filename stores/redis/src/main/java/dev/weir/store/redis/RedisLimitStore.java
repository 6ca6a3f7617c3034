package dev.weir.store.redis;

import dev.weir.core.Micros;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.Usage;
import dev.weir.engine.Batcher;
import dev.weir.engine.limits.Answer;
import dev.weir.engine.limits.Demand;
import dev.weir.engine.limits.LimitStore;
import dev.weir.engine.limits.Policy;
import io.lettuce.core.cluster.SlotHash;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;

/**
 * Limits in Redis. Each demand is one atomic step of a script, by Redis' own clock; demands that
 * come while others are under way share a call.
 *
 * <p>A call that fails without an answer may have been done all the same: what it took is then
 * taken, never too little. A demand with a request id can be repeated safely.
 */
public final class RedisLimitStore implements LimitStore<Limit> {
  /** So many demands, at most, hold Redis in one call, for two or three milliseconds. */
  private static final int LARGEST_BATCH = 256;

  private static final int ANY_SLOT = 0;

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
    this.batcher = new Batcher<>(this::work, LARGEST_BATCH, redis.settings().mostWaiting());
  }

  @Override
  public Answer decide(Demand<? extends Limit> demand) {
    return submit(LimitCall.Mode.DECIDE, demand, Micros.floor(demand.requestTtl()));
  }

  @Override
  public Answer peek(Demand<? extends Limit> demand) {
    return submit(LimitCall.Mode.PEEK, demand, 0);
  }

  @Override
  public void refund(Demand<? extends Limit> demand, Instant grantedAt) {
    submit(LimitCall.Mode.REFUND, demand, Micros.clamped(grantedAt));
  }

  @Override
  public Usage usage(Policy<? extends Limit> policy, String key) {
    byte[] name = KeyNames.bytes(redis.names().usage(policy, key));
    return LimitCalls.usage(redis.await(redis.send(name, commands -> commands.get(name))));
  }

  @Override
  public void forget(Policy<? extends Limit> policy, String key) {
    byte[] name = KeyNames.bytes(redis.names().usage(policy, key));
    redis.await(redis.send(name, commands -> commands.del(name)));
  }

  /** Leaves Redis connected, for others use it. */
  @Override
  public void close() {}

  private Answer submit(LimitCall.Mode mode, Demand<? extends Limit> demand, long micros) {
    LimitCall call = LimitCall.of(redis.names(), redis.isCluster(), mode, demand, micros);
    return batcher.submit(List.of(call)).getFirst().answer();
  }

  /** One script call for all of them; on a Cluster, one for each slot. */
  private List<Outcome> work(List<LimitCall> calls) {
    batches.accept(calls.size());
    Map<Integer, LimitCalls> slots = new LinkedHashMap<>();
    List<LimitCalls> groups = new ArrayList<>(calls.size());
    for (LimitCall call : calls) {
      int slot = redis.isCluster() ? SlotHash.getSlot(call.keys().getFirst()) : ANY_SLOT;
      LimitCalls group = slots.computeIfAbsent(slot, number -> new LimitCalls());
      group.add(call);
      groups.add(group);
    }
    byte[] now = clock.argument();
    slots.values().forEach(group -> group.start(redis, now));
    long deadlineNanos = redis.deadlineNanos();
    slots.values().forEach(group -> group.finish(redis, deadlineNanos));
    List<Outcome> outcomes = new ArrayList<>(calls.size());
    for (LimitCalls group : groups) {
      outcomes.add(group.next());
    }
    return outcomes;
  }
}
