package dev.weir.notifications.redis;

import dev.weir.internal.Micros;
import dev.weir.limits.Decision;
import dev.weir.limits.Limit;
import dev.weir.limits.Usage;
import dev.weir.notifications.messages.HotCounts;
import dev.weir.notifications.messages.UserLimit;
import dev.weir.notifications.messages.UserLimit.Algorithm;
import dev.weir.notifications.messages.UserState;
import dev.weir.store.redis.Redis;
import dev.weir.store.redis.RedisScripts;
import dev.weir.store.redis.RedisScripts.Call;
import dev.weir.store.redis.RedisSettings;
import dev.weir.store.redis.Script;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Message counts of busy users in Redis, a hash for each user. A call of a script checks the
 * messages of many users, in a Cluster those of one; another one stores the state of a user. The
 * calls of a list are sent together. Thread-safe.
 *
 * <p>A key is {@code RateLimiterCache:{101}}, because other programs read it by this name; only a
 * prefix that was chosen precedes it. Redis keeps no marker for these counts: if it loses them, the
 * database decides.
 */
public final class RedisHotCounts implements HotCounts {
  /**
   * Entries end this much before their window: a state is stored a little after the database has
   * returned it, and must not refuse a message after the window has ended.
   */
  private static final long MARGIN_MICROS = Micros.floor(Duration.ofMillis(100));

  private static final long TRUST_MICROS = Micros.floor(Duration.ofMillis(MAX_TRUST_MILLIS));
  private static final byte[] TRUST = bytes(TRUST_MICROS);

  /** Maximum number of users in one call, so that other clients of Redis do not wait for long. */
  private static final int MAX_USERS = 64;

  /** Results of hot-check.lua; others mean that the entry does not know. */
  private static final byte COUNTED = 1;

  private static final byte REFUSED = 2;

  private static final Script CHECK = Script.of(read("hot-check.lua"));
  private static final Script LEARN = Script.of(read("hot-learn.lua"));

  private final RedisScripts redis;

  /** The time as the scripts expect it: empty for Redis' own clock. */
  private final Supplier<String> micros;

  /** Returns counts on a connection that the caller closes. */
  public RedisHotCounts(Redis redis) {
    this(redis, () -> "");
  }

  private RedisHotCounts(Redis redis, Supplier<String> micros) {
    this.redis = RedisScripts.on(redis);
    this.micros = micros;
  }

  /** Returns counts by another clock than that of Redis, for tests. */
  static RedisHotCounts by(InstantSource clock, Redis redis) {
    return new RedisHotCounts(redis, () -> Long.toString(Micros.ceil(clock.instant())));
  }

  private static String read(String name) {
    try (InputStream in = RedisHotCounts.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException(name + " is missing from the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public List<Checked> check(List<Wanted> wanted) {
    Map<Long, List<Integer>> positions = new LinkedHashMap<>();
    for (int i = 0; i < wanted.size(); i++) {
      positions.computeIfAbsent(wanted.get(i).userId(), user -> new ArrayList<>()).add(i);
    }
    List<List<List<Integer>>> groups = groups(positions.values());
    List<byte[]> replies =
        redis.run(groups.stream().map(group -> checkGroup(wanted, group)).toList());
    List<Checked> results = new ArrayList<>(Collections.nCopies(wanted.size(), Passed.UNKNOWN));
    for (int i = 0; i < groups.size(); i++) {
      ByteBuffer reply = ByteBuffer.wrap(replies.get(i)).order(ByteOrder.LITTLE_ENDIAN);
      groups.get(i).forEach(own -> read(reply, own, results));
    }
    return results;
  }

  /** Divides users among calls. In a Cluster, the keys of one call must be in one slot. */
  private List<List<List<Integer>>> groups(Collection<List<Integer>> users) {
    int size = redis.isCluster() ? 1 : MAX_USERS;
    List<List<Integer>> all = List.copyOf(users);
    List<List<List<Integer>>> groups = new ArrayList<>(all.size() / size + 1);
    for (int from = 0; from < all.size(); from += size) {
      groups.add(all.subList(from, Math.min(all.size(), from + size)));
    }
    return groups;
  }

  /**
   * Checks messages of several users.
   *
   * @param users the positions of each user's messages in {@code wanted}
   */
  private Call checkGroup(List<Wanted> wanted, List<List<Integer>> users) {
    List<byte[]> keys = new ArrayList<>(users.size());
    List<byte[]> arguments = new ArrayList<>(2 + 3 * users.size());
    arguments.add(bytes(micros.get()));
    arguments.add(TRUST);
    for (List<Integer> own : users) {
      keys.add(key(wanted.get(own.getFirst()).userId()));
      long minVersion = 0;
      for (int position : own) {
        minVersion = Math.max(minVersion, wanted.get(position).minVersion());
      }
      arguments.add(bytes(minVersion));
      arguments.add(bytes(own.size()));
      own.forEach(position -> arguments.add(bytes(wanted.get(position).parts())));
    }
    return new Call(CHECK, keys, arguments);
  }

  /**
   * Reads the part of a reply that belongs to one user.
   *
   * @param positions where the results of the user's messages belong
   */
  private static void read(ByteBuffer reply, List<Integer> positions, List<Checked> results) {
    if (reply.get() == 0) {
      return;
    }
    long waitMicros = (long) reply.getDouble() + MARGIN_MICROS;
    long rateLimit = (long) reply.getDouble();
    Duration window = Micros.duration((long) reply.getDouble());
    Algorithm algorithm =
        reply.getDouble() == 0 ? Algorithm.FIXED_WINDOW : Algorithm.SLIDING_WINDOW;
    Limit limit = algorithm.limit(rateLimit, window);
    for (int position : positions) {
      byte result = reply.get();
      long remaining = Math.max(0, (long) reply.getDouble());
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
    redis.run(latest.values().stream().map(this::learn).toList());
  }

  private Call learn(UserState state) {
    Limit limit = state.limit().limit();
    Usage usage = limit.settle(state.usage(), state.atMicros());
    long remaining = limit.remaining(usage, state.atMicros());
    long lifeMicros = lifeMicros(state, usage, remaining) - MARGIN_MICROS;
    return new Call(
        LEARN,
        List.of(key(state.limit().userId())),
        List.of(
            bytes(micros.get()),
            bytes(state.limit().rateLimit()),
            bytes(Micros.floor(state.limit().timeWindow())),
            bytes(state.limit().costBy().name()),
            bytes(state.limit().algorithm().name()),
            bytes(state.version()),
            bytes(state.limit().rateLimit() - remaining),
            bytes(state.revision()),
            bytes(Math.max(0, lifeMicros))));
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
    redis.delete(key(userId));
  }

  private byte[] key(long userId) {
    String name = "RateLimiterCache:{" + userId + "}";
    String prefix = redis.prefix();
    return (prefix.equals(RedisSettings.DEFAULT_PREFIX) ? name : prefix + ":" + name)
        .getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] bytes(long number) {
    return bytes(Long.toString(number));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
