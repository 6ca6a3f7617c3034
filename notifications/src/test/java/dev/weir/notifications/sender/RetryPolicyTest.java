package dev.weir.notifications.sender;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

final class RetryPolicyTest {
  @Property(tries = 1_000)
  void pausesDoubleUpToTheMaximumAndAreShortenedByUpToAHalf(
      @ForAll @LongRange(min = 1, max = 10_000) long firstMillis,
      @ForAll @IntRange(min = 1, max = 100) int factor,
      @ForAll @IntRange(min = 1, max = 200) int attempts,
      @ForAll Random random) {
    Duration first = Duration.ofMillis(firstMillis);
    Duration max = first.multipliedBy(factor);
    double full =
        Math.min((double) max.toNanos(), first.toNanos() * Math.pow(2, Math.min(attempts - 1, 60)));
    long pause = new RetryPolicy(Duration.ZERO, 1, first, max).pause(attempts, random).toNanos();
    assertThat((double) pause).isBetween(full / 2 - 1, full);
  }
}
