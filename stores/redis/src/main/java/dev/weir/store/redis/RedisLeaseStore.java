package dev.weir.store.redis;

import dev.weir.core.limits.Concurrency;
import dev.weir.core.limits.Lease;
import dev.weir.core.limits.LeaseDecision;
import dev.weir.core.limits.Queue;
import dev.weir.engine.StoreException;
import dev.weir.engine.limits.LeaseStore;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Leases in Redis. Each step is one call of a script, by Redis' own clock. */
public final class RedisLeaseStore implements LeaseStore {
  private static final int HELD = 1;
  private static final int FULL = 2;
  private static final String NO_LEASE = "";

  private final Redis redis;
  private final StoreClock clock;

  public RedisLeaseStore(Redis redis) {
    this(redis, StoreClock.OF_REDIS);
  }

  RedisLeaseStore(Redis redis, StoreClock clock) {
    this.redis = redis;
    this.clock = clock;
  }

  @Override
  public LeaseDecision acquire(String resource, Concurrency limit, String leaseId, int places) {
    if (places < 1 || places > limit.max()) {
      throw new IllegalArgumentException(
          "places must be from 1 to %d, not %d".formatted(limit.max(), places));
    }
    return step(resource, "acquire", leaseId, places, limit.max(), limit.ttlMicros());
  }

  @Override
  public LeaseDecision renew(String resource, Concurrency limit, String leaseId) {
    return step(resource, "renew", leaseId, limit.ttlMicros());
  }

  @Override
  public LeaseDecision release(String resource, String leaseId) {
    return step(resource, "release", leaseId);
  }

  @Override
  public int current(String resource) {
    return StoreException.whileReading(() -> step(resource, "current", NO_LEASE).current());
  }

  @Override
  public LeaseDecision join(String resource, Queue queue, String ticketId) {
    return step(resource, "join", ticketId, 1, queue.maxSize(), queue.delayMicros());
  }

  @Override
  public void forget(String resource) {
    byte[][] keys = keys(resource);
    redis.whole(() -> redis.await(redis.send(keys[0], commands -> commands.del(keys))));
  }

  /** Leaves Redis connected, for others use it. */
  @Override
  public void close() {}

  private LeaseDecision step(String resource, String action, String leaseId, long... numbers) {
    byte[][] arguments = new byte[3 + numbers.length][];
    arguments[0] = clock.argument();
    arguments[1] = action.getBytes(StandardCharsets.US_ASCII);
    arguments[2] = KeyNames.bytes(leaseId);
    for (int i = 0; i < numbers.length; i++) {
      arguments[3 + i] = Long.toString(numbers[i]).getBytes(StandardCharsets.US_ASCII);
    }
    byte[][] keys = keys(resource);
    return decision(
        leaseId, redis.whole(() -> redis.await(redis.run(Script.LEASES, keys, arguments))));
  }

  private byte[][] keys(String resource) {
    return new byte[][] {
      KeyNames.bytes(redis.names().leases(resource)), KeyNames.bytes(redis.names().places(resource))
    };
  }

  private static LeaseDecision decision(String leaseId, byte[] reply) {
    ByteBuffer buffer = ByteBuffer.wrap(reply).order(ByteOrder.LITTLE_ENDIAN);
    int outcome = buffer.get();
    int current = (int) buffer.getDouble();
    int places = (int) buffer.getDouble();
    long endsAtMicros = (long) buffer.getDouble();
    long waitMicros = (long) buffer.getDouble();
    return switch (outcome) {
      case HELD -> new LeaseDecision.Held(new Lease(leaseId, places, endsAtMicros), current);
      case FULL -> new LeaseDecision.Full(current, waitMicros);
      default -> new LeaseDecision.Gone(current);
    };
  }
}
