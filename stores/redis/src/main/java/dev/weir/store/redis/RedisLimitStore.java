package dev.weir.store.redis;

import dev.weir.StoreException;
import dev.weir.internal.Batcher;
import dev.weir.internal.Micros;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.LimitStore;
import dev.weir.limits.Policy;
import dev.weir.limits.Refund;
import dev.weir.limits.Usage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Limits in Redis. Each request is one atomic step of a script, which uses Redis' own clock.
 * Requests that arrive while others are in flight share a call. On a Cluster, a request whose keys
 * are in several slots is decided by each of them, see {@link SlotBySlot}. Thread-safe.
 *
 * <p>A call that fails without a reply may have been executed: then its permits stay taken, so a
 * limit is never exceeded. A request with a request id can be repeated safely.
 *
 * <p>If Redis has lost its counts, by a restart, a flush, an old snapshot or a replica that was far
 * behind, the first call after that notices it. Policies with {@link
 * dev.weir.limits.OnStoreFailure#CLOSED} or {@code FALLBACK} that were created before then count as
 * fully used at that time. Losses of less than about a second are not noticed.
 */
public final class RedisLimitStore implements LimitStore {
  /** Max requests in one call, which blocks Redis for two or three milliseconds. */
  private static final int MAX_BATCH = 256;

  /**
   * While Redis runs one call, the callers of the other get their results and send new requests.
   */
  private static final int MAX_CALLS = 2;

  private final Redis redis;
  private final StoreClock clock;
  private final IntConsumer batches;
  private final Batcher<LimitCall, CallResult> batcher;
  private final Runnable onClose;

  /**
   * Returns a store with its own connection, which {@link #close} closes. It connects on first use,
   * and reconnects after each loss.
   *
   * @param uri for example {@code redis://:password@host:6379}; see {@link RedisSettings}
   */
  public static RedisLimitStore connect(String uri) {
    Redis redis = Redis.open(RedisSettings.of(uri));
    return new RedisLimitStore(redis, StoreClock.REDIS, requests -> {}, redis::close);
  }

  /** Returns a store on a connection that stays open when the store is closed. */
  public RedisLimitStore(Redis redis) {
    this(redis, StoreClock.REDIS);
  }

  /**
   * Creates a store that reports the size of its batches.
   *
   * @param batches called with the number of requests in each batch
   */
  public RedisLimitStore(Redis redis, IntConsumer batches) {
    this(redis, StoreClock.REDIS, batches, () -> {});
  }

  RedisLimitStore(Redis redis, StoreClock clock) {
    this(redis, clock, requests -> {}, () -> {});
  }

  private RedisLimitStore(Redis redis, StoreClock clock, IntConsumer batches, Runnable onClose) {
    this.onClose = onClose;
    this.redis = redis;
    this.clock = clock;
    this.batches = batches;
    this.batcher =
        new Batcher<LimitCall, CallResult>(
                this::work, MAX_BATCH, redis.settings().maxWaiting(), MAX_CALLS)
            .withMaxWait(redis.settings().commandTimeout());
  }

  @Override
  public boolean take(Policy policy, String key, long cost) {
    LimitRequest request = new LimitRequest(policy, key, cost);
    return submit(LimitCall.Single.of(redis.names(), LimitCall.Mode.TAKE, request)).isTaken();
  }

  @Override
  public AcquireResult decide(AcquireRequest request) {
    if (request.parts().size() == 1 && !request.isRepeatable() && request.delays().isEmpty()) {
      return run(
          LimitCall.Single.of(
              redis.names(), LimitCall.Mode.DECIDE_ONE, request.parts().getFirst()));
    }
    return isBound(request) ? decideBound(request) : decideWhole(request);
  }

  private AcquireResult decideWhole(AcquireRequest request) {
    SlotBySlot spread = spread(request);
    return spread == null
        ? run(call(LimitCall.Mode.DECIDE, request, Micros.floor(request.requestTtl())))
        : spread.decide();
  }

  /** Returns true if other requests with the same request id may not find this one's record. */
  private boolean isBound(AcquireRequest request) {
    return redis.isCluster() && request.isRepeatable() && !request.parts().isEmpty();
  }

  /**
   * Decides a request with a request id on a Cluster. Its record is in the slot of its keys, where
   * another request with the same id may not look, so the id is first bound to the request in a
   * slot derived from the id. That is a separate step: of two different requests with the same id
   * at the same time, one is refused because of the id; but if one of two equal requests is granted
   * while the other is refused, the id may be left unbound, and another request in another slot may
   * then be granted.
   */
  private AcquireResult decideBound(AcquireRequest request) {
    AcquireRequest binding = binding(request);
    AcquireResult bound = decideWhole(binding);
    if (bound.isReused()) {
      return bound;
    }
    AcquireResult result = decideWhole(request);
    if (!result.isAllowed() && !bound.isReplayed()) {
      refund(binding, bound.decidedAt());
    }
    return result;
  }

  private static AcquireRequest binding(AcquireRequest request) {
    return new AcquireRequest(List.of(), Map.of(), request.binding());
  }

  @Override
  public Optional<AcquireResult> recall(AcquireRequest request) {
    SlotBySlot spread = spread(request);
    if (spread != null) {
      return StoreException.whileReading(spread::recall);
    }
    LimitCall call = call(LimitCall.Mode.RECALL, request, 0);
    return StoreException.whileReading(() -> submit(call)).recalled();
  }

  @Override
  public AcquireResult peek(AcquireRequest request) {
    SlotBySlot spread = spread(request);
    return StoreException.whileReading(
        () -> spread == null ? run(call(LimitCall.Mode.PEEK, request, 0)) : spread.peek());
  }

  /** Writes the marker of the slot: a Redis that is full or a replica answers all that reads. */
  @Override
  public void probe(AcquireRequest request) {
    String key =
        request.parts().isEmpty()
            ? redis.names().binding(request.requestId())
            : redis
                .names()
                .usage(request.parts().getFirst().policy(), request.parts().getFirst().key());
    redis.markers().probe(redis.markers().slot(key));
  }

  @Override
  public Refund refund(AcquireRequest request, Instant grantedAt) {
    SlotBySlot spread = spread(request);
    LimitCall call = call(LimitCall.Mode.REFUND, request, Micros.clamped(grantedAt));
    Refund refund = spread == null ? submit(call).refund() : spread.refund(grantedAt);
    return isBound(request) ? unbound(request, grantedAt, refund) : refund;
  }

  /**
   * Ends the binding of a request id whose grant was refunded. If the grant was not found, it may
   * be in another slot, because its rules have changed since: the id then stays bound, so that a
   * different request with it is still detected.
   */
  private Refund unbound(AcquireRequest request, Instant grantedAt, Refund refund) {
    return switch (refund) {
      case GIVEN_BACK -> {
        StoreException.afterDone(() -> refund(binding(request), grantedAt));
        yield refund;
      }
      case UNKNOWN ->
          recall(binding(request)).filter(AcquireResult::isReused).isPresent()
              ? Refund.REUSED
              : refund;
      case REUSED -> refund;
    };
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

  /**
   * Finds the keys of the policy among all keys of Redis, which takes about a second for a million
   * of them, and settles them in portions.
   */
  @Override
  public void settle(Policy policy) {
    redis.scan(
        redis.names().usages(policy),
        names -> {
          for (int from = 0; from < names.size(); from += MAX_BATCH) {
            settle(policy, names.subList(from, Math.min(from + MAX_BATCH, names.size())));
          }
        });
  }

  @Override
  public void settle(Policy policy, String key) {
    settle(policy, List.of(redis.names().usage(policy, key)));
  }

  private void settle(Policy policy, List<String> names) {
    List<LimitCall> calls =
        names.stream().<LimitCall>map(name -> LimitCall.Single.settle(policy, name)).toList();
    submit(calls).forEach(CallResult::orThrow);
  }

  /** Closes the connection if it belongs to this store. */
  @Override
  public void close() {
    onClose.run();
  }

  private LimitCall call(LimitCall.Mode mode, AcquireRequest request, long micros) {
    return LimitCall.Whole.of(redis.names(), redis.isCluster(), mode, request, micros);
  }

  private AcquireResult run(LimitCall call) {
    return submit(call).result();
  }

  /** Returns the request split by slots if its keys are in several; otherwise null. */
  private @Nullable SlotBySlot spread(AcquireRequest request) {
    if (!redis.isCluster() || request.parts().size() <= 1) {
      return null;
    }
    SlotBySlot spread = new SlotBySlot(redis.names(), request, this::submit);
    return spread.isNeeded() ? spread : null;
  }

  private CallResult.Reply submit(LimitCall call) {
    return submit(List.of(call)).getFirst().orThrow();
  }

  List<CallResult> submit(List<LimitCall> calls) {
    List<CallResult> results = batcher.submit(calls);
    List<CallResult> complete = new ArrayList<>(results.size());
    for (int i = 0; i < results.size(); i++) {
      CallResult result = results.get(i);
      boolean isTorn = result instanceof CallResult.Failed failed && Redis.isTorn(failed.failure());
      // Perhaps only other keys of the batch are on two nodes.
      complete.add(isTorn ? retryAlone(calls.get(i)) : result);
    }
    return complete;
  }

  private CallResult retryAlone(LimitCall call) {
    try {
      return redis.whole(() -> alone(call));
    } catch (StoreException e) {
      return new CallResult.Failed(e);
    }
  }

  private CallResult alone(LimitCall call) {
    LimitCalls calls = LimitCalls.alone(redis, clock, call);
    calls.start();
    CallResult[] results = new CallResult[1];
    calls.finish(redis.deadlineNanos(), results);
    return results[0].orThrow();
  }

  /** Sends all calls in one script call; on a Cluster, in one for each slot. */
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
    CallResult[] results = new CallResult[calls.size()];
    slots.values().forEach(group -> group.finish(deadlineNanos, results));
    return List.of(results);
  }
}
