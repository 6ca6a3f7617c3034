package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Invalid limits cannot be constructed, and the message names field and value. */
final class LimitRefusalsTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  @Test
  void windowsRefuseImpossibleLimits() {
    refuses(() -> FixedWindow.of(0, SECOND), "limit", "0");
    refuses(() -> FixedWindow.of(-1, SECOND), "limit", "-1");
    refuses(() -> FixedWindow.of(FixedWindow.MAX_LIMIT + 1, SECOND), "limit", "1000000000001");
    refuses(() -> SlidingWindow.of(0, SECOND), "limit", "0");
    refuses(() -> SlidingWindow.of(SlidingWindow.MAX_LIMIT + 1, SECOND), "limit", "8589934593");
  }

  @Test
  void windowsRefuseImpossibleDurations() {
    refuses(() -> FixedWindow.of(1, Duration.ZERO), "window", "PT0S");
    refuses(() -> FixedWindow.of(1, SECOND.negated()), "window", "PT-1S");
    refuses(() -> FixedWindow.of(1, Duration.ofNanos(1_000_001)), "window", "PT0.001000001S");
    refuses(() -> FixedWindow.of(1, Duration.ofNanos(999_000)), "window", "PT0.000999S");
    refuses(() -> SlidingWindow.of(1, Duration.ofDays(367)), "window", "PT8808H");
    refuses(
        () -> SlidingWindow.of(1, Duration.ofSeconds(Long.MAX_VALUE)),
        "window",
        Duration.ofSeconds(Long.MAX_VALUE).toString());
    assertThat(SlidingWindow.of(1, Duration.ofDays(366)).windowMicros())
        .isEqualTo(Limit.MAX_DURATION_MICROS);
  }

  @Test
  void bucketsRefuseImpossibleLimits() {
    refuses(() -> TokenBucket.of(0, SECOND), "capacity", "0");
    refuses(
        () -> TokenBucket.of(TokenBucket.MAX_CAPACITY + 1, SECOND), "capacity", "1000000000001");
    refuses(() -> new TokenBucket(1, 0, 1), "refillTokens", "0");
    refuses(() -> new TokenBucket(1, 1, 0), "refillMicros", "0");
    refuses(() -> TokenBucket.of(1, Duration.ofNanos(1)), "untilFull", "PT0.000000001S");
    refuses(() -> TokenBucket.of(1, Duration.ZERO), "untilFull", "PT0S");
    refuses(() -> TokenBucket.of(1).refill(1, Duration.ZERO), "every", "PT0S");
    refuses(
        () -> TokenBucket.of(1).refill(1, Duration.ofSeconds(Long.MAX_VALUE)), "every", "PT8784H");
    refuses(() -> TokenBucket.of(1).refill(0, SECOND), "refillTokens", "0");
    refuses(() -> TokenBucket.perSecond(1, BigDecimal.ZERO), "refillRate", "0");
    refuses(() -> TokenBucket.perSecond(1, new BigDecimal("-0.5")), "refillRate", "-0.5");
    refuses(() -> TokenBucket.perSecond(1, new BigDecimal("1E13")), "refillRate", "1E+13");
    refuses(() -> TokenBucket.perSecond(1, new BigDecimal("1E-13")), "refillRate", "1E-13");
    refuses(
        () -> TokenBucket.perSecond(1, new BigDecimal("1E-999999999")),
        "refillRate",
        "1E-999999999");
    refuses(
        () -> TokenBucket.perSecond(TokenBucket.MAX_CAPACITY, BigDecimal.ONE),
        "capacity",
        "1000000000000");
  }

  @Test
  void leasesAndQueuesRefuseImpossibleLimits() {
    refuses(() -> Concurrency.of(0, SECOND), "max", "0");
    refuses(() -> Concurrency.of(Concurrency.MAX_PLACES + 1, SECOND), "max", "1000001");
    refuses(() -> Concurrency.of(1, Duration.ofNanos(1_000)), "ttl", "PT0.000001S");
    refuses(() -> Queue.of(0, SECOND), "maxSize", "0");
    refuses(() -> Queue.of(1, Duration.ZERO), "delayPerRequest", "PT0S");
    refuses(() -> Queue.of(1, Duration.ofDays(1)), "delay", "86400000000");
    Concurrency two = Concurrency.of(2, SECOND);
    refuses(() -> two.acquire(LiveLeases.NONE, "a", 3, 0), "places", "3");
    refuses(() -> two.acquire(LiveLeases.NONE, "a", 0, 0), "places", "0");
  }

  @Test
  void costThatCouldNeverBeGrantedIsRefusedByName() {
    for (Limit limit :
        new Limit[] {
          FixedWindow.of(5, SECOND), SlidingWindow.of(5, SECOND), TokenBucket.of(5, SECOND)
        }) {
      for (long cost : new long[] {0, -1, 6, Long.MAX_VALUE, Long.MIN_VALUE}) {
        refuses(() -> limit.decide(Usage.NONE, cost, 0), "cost", Long.toString(cost));
        refuses(() -> limit.peek(Usage.NONE, cost, 0), "cost", Long.toString(cost));
        refuses(() -> limit.refund(Usage.NONE, cost, 0, 0), "cost", Long.toString(cost));
      }
    }
  }

  @Test
  void missingArgumentsAreNamed() {
    misses(() -> FixedWindow.of(1, null), "window");
    misses(() -> SlidingWindow.of(1, null), "window");
    misses(() -> TokenBucket.of(1, null), "untilFull");
    misses(() -> TokenBucket.of(1).refill(1, null), "every");
    misses(() -> TokenBucket.perSecond(1, null), "refillRate");
    misses(() -> Concurrency.of(1, null), "ttl");
  }

  private static void misses(ThrowingCallable making, String field) {
    assertThatThrownBy(making).isInstanceOf(NullPointerException.class).hasMessage(field);
  }

  @Test
  void sharesAreAmongOneToAThousandNodes() {
    for (int nodes : new int[] {0, -1, Limit.MAX_NODES + 1}) {
      refuses(() -> FixedWindow.of(5, SECOND).share(nodes), "nodes", Integer.toString(nodes));
      refuses(() -> SlidingWindow.of(5, SECOND).share(nodes), "nodes", Integer.toString(nodes));
      refuses(() -> TokenBucket.of(5, SECOND).share(nodes), "nodes", Integer.toString(nodes));
    }
  }

  private static void refuses(ThrowingCallable making, String field, String value) {
    assertThatThrownBy(making)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(field)
        .hasMessageContaining(value);
  }
}
