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
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Message counts of busy users in Redis, a hash for each user. Every step is one call of a script
 * for each user; the calls of a list are sent together. Thread-safe.
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

  /** Results of hot-check.lua; others mean that the entry does not know. */
  private static final byte COUNTED = 1;

  private static final byte REFUSED = 2;

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
  public List<Checked> check(List<Wanted> wanted) {
    Map<Long, List<Integer>> positions = new LinkedHashMap<>();
    for (int i = 0; i < wanted.size(); i++) {
      positions.computeIfAbsent(wanted.get(i).userId(), user -> new ArrayList<>()).add(i);
    }
    List<RedisCall<byte[]>> calls = new ArrayList<>(positions.size());
    positions.forEach(
        (user, own) -> calls.add(checkOne(user, own.stream().map(wanted::get).toList())));
    List<byte[]> replies = awaitAll(calls);
    List<Checked> results = new ArrayList<>(Collections.nCopies(wanted.size(), Passed.UNKNOWN));
    int call = 0;
    for (List<Integer> own : positions.values()) {
      read(replies.get(call++), own, results);
    }
    return results;
  }

  /** Checks messages of one user. */
  private RedisCall<byte[]> checkOne(long user, List<Wanted> wanted) {
    byte[][] arguments = new byte[3 + wanted.size()][];
    long minVersion = 0;
    for (int i = 0; i < wanted.size(); i++) {
      arguments[3 + i] = bytes(wanted.get(i).parts());
      minVersion = Math.max(minVersion, wanted.get(i).minVersion());
    }
    arguments[0] = clock.argument();
    arguments[1] = bytes(minVersion);
    arguments[2] = TRUST;
    return redis.run(Script.HOT_CHECK, key(user), arguments);
  }

  /**
   * Reads a reply.
   *
   * @param positions where the results of its messages belong
   */
  private static void read(byte[] reply, List<Integer> positions, List<Checked> results) {
    if (reply.length == 0) {
      return;
    }
    ByteBuffer buffer = ByteBuffer.wrap(reply).order(ByteOrder.LITTLE_ENDIAN);
    long waitMicros = (long) buffer.getDouble() + MARGIN_MICROS;
    long rateLimit = (long) buffer.getDouble();
    Duration window = Micros.duration((long) buffer.getDouble());
    Algorithm algorithm =
        buffer.getDouble() == 0 ? Algorithm.FIXED_WINDOW : Algorithm.SLIDING_WINDOW;
    Limit limit = algorithm.limit(rateLimit, window);
    for (int position : positions) {
      byte result = buffer.get();
      long remaining = Math.max(0, (long) buffer.getDouble());
      if (result == COUNTED) {
        results.set(position, Passed.COUNTED);
      } else if (result == REFUSED) {
        results.set(
            position, new Refusal(limit, new Decision.Refused(remaining, waitMicros, waitMicros)));
      }
    }
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
