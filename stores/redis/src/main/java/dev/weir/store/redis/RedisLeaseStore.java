package dev.weir.store.redis;

import dev.weir.StoreException;
import dev.weir.limits.Concurrency;
import dev.weir.limits.Lease;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.LeaseHistory;
import dev.weir.limits.LeaseStore;
import dev.weir.limits.Queue;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * Leases in Redis. Each step is one call of a script, which uses Redis' own clock. Thread-safe.
 *
 * <p>After Redis has lost its data, resources that were created before the loss grant no leases
 * until every lost lease must have expired, by the time to live of the current request and the
 * resource's {@link LeaseHistory}. Lost leases cannot be renewed, because it is unknown whether
 * they were held.
 */
public final class RedisLeaseStore implements LeaseStore {
  private static final int HELD = 1;
  private static final String NO_LEASE = "";

  private final Redis redis;
  private final StoreClock clock;
  private final Runnable onClose;

  /**
   * Returns a store with its own connection, which {@link #close} closes. It connects on first use,
   * and reconnects after each loss.
   *
   * @param uri for example {@code redis://:password@host:6379}; see {@link RedisSettings}
   */
  public static RedisLeaseStore connect(String uri) {
    Redis redis = Redis.open(RedisSettings.of(uri));
    return new RedisLeaseStore(redis, StoreClock.REDIS, redis::close);
  }

  /** Returns a store on a connection that stays open when the store is closed. */
  public RedisLeaseStore(Redis redis) {
    this(redis, StoreClock.REDIS);
  }

  RedisLeaseStore(Redis redis, StoreClock clock) {
    this(redis, clock, () -> {});
  }

  private RedisLeaseStore(Redis redis, StoreClock clock, Runnable onClose) {
    this.redis = redis;
    this.clock = clock;
    this.onClose = onClose;
  }

  @Override
  public LeaseDecision.Acquisition acquire(
      String resource, Concurrency limit, String leaseId, int places) {
    return acquire(resource, limit, leaseId, places, LeaseHistory.UNKNOWN);
  }

  @Override
  public LeaseDecision.Acquisition acquire(
      String resource, Concurrency limit, String leaseId, int places, LeaseHistory history) {
    if (places < 1 || places > limit.max()) {
      throw new IllegalArgumentException(
          "places must be from 1 to %d, not %d".formatted(limit.max(), places));
    }
    return acquisition(
        resource,
        "acquire",
        leaseId,
        places,
        limit.max(),
        limit.ttlMicros(),
        history.createdAtMicros(),
        history.heldUntilMicros());
  }

  @Override
  public LeaseDecision.Renewal renew(String resource, Concurrency limit, String leaseId) {
    Reply reply = step(resource, "renew", leaseId, limit.ttlMicros());
    return reply.isHeld() ? reply.held(leaseId) : reply.gone();
  }

  @Override
  public LeaseDecision.Release release(String resource, String leaseId) {
    return step(resource, "release", leaseId).gone();
  }

  @Override
  public LeaseDecision.Release releaseAfter(String resource, String leaseId, Duration delay) {
    Reply reply = step(resource, "release_after", leaseId, Concurrency.delayMicros(delay));
    return reply.isHeld() ? reply.held(leaseId) : reply.gone();
  }

  @Override
  public int current(String resource) {
    return StoreException.whileReading(() -> step(resource, "current", NO_LEASE).current());
  }

  @Override
  public int current(String resource, Concurrency limit, LeaseHistory history) {
    return current(resource, limit.max(), limit.ttlMicros(), history);
  }

  @Override
  public int current(String resource, Queue queue, LeaseHistory history) {
    return current(resource, queue.maxSize(), queue.maxSize() * queue.delayMicros(), history);
  }

  private int current(String resource, int max, long maxMicros, LeaseHistory history) {
    return StoreException.whileReading(
        () ->
            step(
                    resource,
                    "current",
                    NO_LEASE,
                    max,
                    maxMicros,
                    history.createdAtMicros(),
                    history.heldUntilMicros())
                .current());
  }

  @Override
  public LeaseDecision.Acquisition join(String resource, Queue queue, String ticketId) {
    return join(resource, queue, ticketId, LeaseHistory.UNKNOWN);
  }

  @Override
  public LeaseDecision.Acquisition join(
      String resource, Queue queue, String ticketId, LeaseHistory history) {
    return acquisition(
        resource,
        "join",
        ticketId,
        1,
        queue.maxSize(),
        queue.delayMicros(),
        history.createdAtMicros(),
        history.heldUntilMicros());
  }

  @Override
  public void forget(String resource) {
    byte[][] keys = {
      KeyNames.bytes(redis.names().leases(resource)), KeyNames.bytes(redis.names().places(resource))
    };
    redis.whole(() -> redis.await(redis.send(keys[0], commands -> commands.del(keys))));
  }

  /** Closes the connection if it belongs to this store. */
  @Override
  public void close() {
    onClose.run();
  }

  private LeaseDecision.Acquisition acquisition(
      String resource, String action, String leaseId, long... numbers) {
    Reply reply = step(resource, action, leaseId, numbers);
    return reply.isHeld()
        ? reply.held(leaseId)
        : new LeaseDecision.Full(reply.current(), reply.waitMicros());
  }

  private Reply step(String resource, String action, String leaseId, long... numbers) {
    String leases = redis.names().leases(resource);
    int slot = redis.markers().slot(leases);
    byte[][] keys = {
      redis.markers().key(slot),
      KeyNames.bytes(leases),
      KeyNames.bytes(redis.names().places(resource))
    };
    byte[][] arguments = new byte[4 + numbers.length][];
    arguments[0] = clock.argument();
    arguments[2] = action.getBytes(StandardCharsets.US_ASCII);
    arguments[3] = KeyNames.bytes(leaseId);
    for (int i = 0; i < numbers.length; i++) {
      arguments[4 + i] = Long.toString(numbers[i]).getBytes(StandardCharsets.US_ASCII);
    }
    long preparedBefore = redis.markers().prepared();
    byte[] reply = run(slot, keys, arguments);
    if (Markers.isUnprepared(reply)) {
      redis.markers().prepare(slot, reply, preparedBefore, clock);
      reply = run(slot, keys, arguments);
    }
    Markers.requirePrepared(reply);
    ByteBuffer buffer = ByteBuffer.wrap(reply).order(ByteOrder.LITTLE_ENDIAN);
    redis.markers().saw(slot, Marker.read(buffer));
    return Reply.read(buffer);
  }

  private byte[] run(int slot, byte[][] keys, byte[][] arguments) {
    return redis.whole(
        () -> {
          arguments[1] = redis.markers().latest(slot);
          return redis.await(redis.run(Script.LEASES, keys, arguments));
        });
  }

  /** The reply of the script. */
  private record Reply(
      boolean isHeld, int current, int places, long endsAtMicros, long waitMicros) {
    static Reply read(ByteBuffer buffer) {
      return new Reply(
          buffer.get() == HELD,
          (int) buffer.getDouble(),
          (int) buffer.getDouble(),
          (long) buffer.getDouble(),
          (long) buffer.getDouble());
    }

    LeaseDecision.Held held(String leaseId) {
      return new LeaseDecision.Held(new Lease(leaseId, places, endsAtMicros), current);
    }

    LeaseDecision.Gone gone() {
      return new LeaseDecision.Gone(current);
    }
  }
}
