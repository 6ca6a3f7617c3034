package dev.weir.store.redis;

import dev.weir.core.internal.Micros;
import dev.weir.core.limits.Decision;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.Usage;
import dev.weir.engine.StoreException;
import dev.weir.engine.notifications.HotCounts;
import dev.weir.engine.notifications.UserLimit;
import dev.weir.engine.notifications.UserLimit.Algorithm;
import dev.weir.engine.notifications.UserState;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Message counts of busy users in Redis, a hash for each user. Every step is one call of a script;
 * the calls of a list are sent together. Thread-safe.
 *
 * <p>Redis keeps no marker for these counts: if it loses them, the database decides.
 */
public final class RedisHotCounts implements HotCounts {
  /**
   * Entries end this much before their window: a state is stored a little after the database has
   * returned it, and must not refuse a message after the window has ended.
   */
  private static final long MARGIN_MICROS = Micros.floor(Duration.ofMillis(100));

  private static final long TRUST_MICROS = Micros.floor(Duration.ofMillis(MAX_TRUST_MILLIS));
  private static final byte[] TRUST = bytes(TRUST_MICROS);

  private final Redis redis;
  private final StoreClock clock;

  /** Returns counts on a connection that the caller closes. */
  public RedisHotCounts(Redis redis) {
    this(redis, StoreClock.REDIS);
  }

  RedisHotCounts(Redis redis, StoreClock clock) {
    this.redis = redis;
    this.clock = clock;
  }

  @Override
  public List<Optional<Refusal>> check(List<Wanted> wanted) {
    List<RedisCall<byte[]>> calls = new ArrayList<>(wanted.size());
    for (Wanted each : wanted) {
      calls.add(
          redis.run(
              Script.HOT_CHECK,
              key(each.userId()),
              clock.argument(),
              bytes(each.parts()),
              bytes(each.minVersion()),
              TRUST));
    }
    return awaitAll(calls).stream().map(RedisHotCounts::refusal).toList();
  }

  private static Optional<Refusal> refusal(byte[] reply) {
    if (reply.length == 0) {
      return Optional.empty();
    }
    ByteBuffer buffer = ByteBuffer.wrap(reply).order(ByteOrder.LITTLE_ENDIAN);
    long remaining = Math.max(0, (long) buffer.getDouble());
    long waitMicros = (long) buffer.getDouble() + MARGIN_MICROS;
    long rateLimit = (long) buffer.getDouble();
    Duration window = Micros.duration((long) buffer.getDouble());
    Algorithm algorithm =
        buffer.getDouble() == 0 ? Algorithm.FIXED_WINDOW : Algorithm.SLIDING_WINDOW;
    return Optional.of(
        new Refusal(
            algorithm.limit(rateLimit, window),
            new Decision.Refused(remaining, waitMicros, waitMicros)));
  }

  @Override
  public void learn(List<UserState> states) {
    Map<Long, UserState> latest = new LinkedHashMap<>();
    for (UserState state : states) {
      latest.merge(
          state.limit().userId(),
          state,
          (one, other) -> one.revision() > other.revision() ? one : other);
    }
    List<RedisCall<byte[]>> calls = new ArrayList<>(latest.size());
    latest.values().forEach(state -> calls.add(learn(state)));
    awaitAll(calls);
  }

  private RedisCall<byte[]> learn(UserState state) {
    Limit limit = state.limit().limit();
    Usage usage = limit.settle(state.usage(), state.atMicros());
    long remaining = limit.remaining(usage, state.atMicros());
    long micros = lifeMicros(state, usage, remaining) - MARGIN_MICROS;
    return redis.run(
        Script.HOT_LEARN,
        key(state.limit().userId()),
        clock.argument(),
        bytes(state.limit().rateLimit()),
        bytes(Micros.floor(state.limit().timeWindow())),
        bytes(state.limit().costBy().name()),
        bytes(state.limit().algorithm().name()),
        bytes(state.version()),
        bytes(state.limit().rateLimit() - remaining),
        bytes(state.revision()),
        bytes(Math.max(0, micros)));
  }

  /**
   * Returns how long a state may be used: until its window ends, or a full sliding window has a
   * unit left. If no message was counted yet, or a sliding window is not full, the entry refuses
   * nothing; it keeps late calls from storing an earlier state.
   */
  private static long lifeMicros(UserState state, Usage usage, long remaining) {
    Limit limit = state.limit().limit();
    return switch (state.limit().algorithm()) {
      case FIXED_WINDOW ->
          usage.isNone()
              ? Micros.floor(UserLimit.MIN_WINDOW)
              : limit.idleMicros(usage, state.atMicros());
      case SLIDING_WINDOW ->
          remaining > 0 ? TRUST_MICROS : limit.waitMicros(usage, 1, state.atMicros());
    };
  }

  @Override
  public void forget(long userId) {
    byte[] key = key(userId)[0];
    var unused = redis.await(redis.send(key, commands -> commands.del(key)));
  }

  /** Waits for all calls, so that none is left behind; throws the first failure. */
  private <T> List<T> awaitAll(List<RedisCall<T>> calls) {
    long deadlineNanos = redis.deadlineNanos();
    List<T> replies = new ArrayList<>(calls.size());
    @Nullable StoreException failure = null;
    for (RedisCall<T> call : calls) {
      try {
        replies.add(redis.await(call, deadlineNanos));
      } catch (StoreException e) {
        failure = failure == null ? e : failure;
      }
    }
    if (failure != null) {
      throw failure;
    }
    return replies;
  }

  private byte[][] key(long userId) {
    return new byte[][] {KeyNames.bytes(redis.names().hotCount(userId))};
  }

  private static byte[] bytes(long number) {
    return bytes(Long.toString(number));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
