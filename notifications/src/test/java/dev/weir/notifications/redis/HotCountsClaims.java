package dev.weir.notifications.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.Usage;
import dev.weir.notifications.kit.HotCountsKit;
import dev.weir.notifications.messages.HotCounts;
import dev.weir.notifications.messages.HotCounts.Wanted;
import dev.weir.notifications.messages.UserLimit;
import dev.weir.notifications.messages.UserState;
import dev.weir.store.redis.Redis;
import dev.weir.store.redis.RedisKeys;
import dev.weir.store.redis.Servers;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Runs the kit on counts in one Redis, and looks at the keys that other programs read. */
interface HotCountsClaims extends HotCountsKit {
  Servers.Clients clients();

  @Override
  default HotCounts hotCountsBy(InstantSource clock) {
    Redis redis = ThreadLocalRandom.current().nextBoolean() ? clients().one() : clients().other();
    return RedisHotCounts.by(clock, redis);
  }

  @Test
  default void entryIsAHashThatExpiresWithItsWindow() {
    long user = ThreadLocalRandom.current().nextLong(1L << 52);
    RedisHotCounts hot = new RedisHotCounts(clients().one());
    UserLimit limit = UserLimit.of(user, 10, Duration.ofHours(5));
    long start = 1_000_000_000_000_000L;
    long anHourLater = start + 3_600_000_000L;

    hot.learn(List.of(new UserState(limit, 3, 8, new Usage(start, 4, 0, 1), anHourLater, start)));
    hot.check(List.of(new Wanted(user, 1, 0)));

    String key = key(user);
    assertThat(field(key, "rateLimit")).isEqualTo("10");
    assertThat(field(key, "currentCount")).isEqualTo("5");
    assertThat(field(key, "version")).isEqualTo("3");
    assertThat(field(key, "revision")).isEqualTo("8");
    assertThat(RedisKeys.ttlMillis(clients().one(), key)).isBetween(14_000_000L, 14_400_000L);
  }

  /** One is of another type, and one has a field that is no number. */
  @Test
  default void keyThatIsNoEntryDisturbsNoOtherUserAndIsReplaced() {
    long first = ThreadLocalRandom.current().nextLong(1L << 52);
    long start = 1_000_000_000_000_000L;
    HotCounts hot = hotCountsBy(InstantSource.fixed(Instant.ofEpochSecond(start / 1_000_000)));
    List<UserState> full =
        LongStream.range(first, first + 4)
            .mapToObj(user -> UserLimit.of(user, 10, Duration.ofMinutes(5)))
            .map(limit -> new UserState(limit, 1, 1, new Usage(start, 10, 0, 1), start, start))
            .toList();
    List<Wanted> wanted =
        full.stream().map(state -> new Wanted(state.limit().userId(), 1, 0)).toList();
    hot.learn(full);
    damage(first, "not a hash");
    damage(first + 1, "rateLimit", "many");

    List<HotCounts.Checked> checked = hot.check(wanted);
    assertThat(checked.subList(0, 2)).containsOnly(HotCounts.Passed.UNKNOWN);
    assertThat(checked.subList(2, 4)).allMatch(HotCounts.Refusal.class::isInstance);

    damage(first, "not a hash");
    damage(first + 1, "version", "new");
    hot.learn(full);
    assertThat(hot.check(wanted)).allMatch(HotCounts.Refusal.class::isInstance);
  }

  private void damage(long user, String value) {
    RedisKeys.set(clients().one(), key(user), value);
  }

  private void damage(long user, String field, String value) {
    RedisKeys.setField(clients().one(), key(user), field, value);
  }

  private String field(String key, String name) {
    return RedisKeys.field(clients().one(), key, name);
  }

  private static String key(long user) {
    return "RateLimiterCache:{" + user + "}";
  }
}
