package dev.weir.limits.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Policy;
import dev.weir.limits.SlidingWindow;
import dev.weir.limits.TokenBucket;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A caller that is paused between reading the clock and holding the entry, as by a long collection
 * of garbage or a stopped process: what others took meanwhile counts as usual.
 */
class PausedCallerTest {
  private static final int LIMIT = 10;
  private static final String KEY = "k";
  private static final Instant START = Instant.ofEpochSecond(1_000_000_000);

  private Instant now = START;
  private Runnable pause = () -> {};
  private final MemoryLimitStore store = new MemoryLimitStore(this::read);

  /** Reads the clock, and returns when the pause is over. */
  private Instant read() {
    Instant read = now;
    Runnable once = pause;
    pause = () -> {};
    once.run();
    return read;
  }

  static Stream<Limit> limits() {
    Duration second = Duration.ofSeconds(1);
    return Stream.of(
        TokenBucket.of(LIMIT, second),
        FixedWindow.of(LIMIT, second),
        FixedWindow.of(LIMIT, second).alignedToEpoch(),
        SlidingWindow.of(LIMIT, second));
  }

  @ParameterizedTest
  @MethodSource("limits")
  void takesByTheTimeOfOthers(Limit limit) {
    grantsNoMoreThanTheLimitAfterAPause(limit, policy -> store.take(policy, KEY, 1));
  }

  @ParameterizedTest
  @MethodSource("limits")
  void decidesByTheTimeOfOthers(Limit limit) {
    grantsNoMoreThanTheLimitAfterAPause(limit, policy -> store.decide(policy, KEY, 1));
  }

  @ParameterizedTest
  @MethodSource("limits")
  void decidesUnderTheLockByTheTimeOfOthers(Limit limit) {
    // Of another rate, so the entry is not found without the lock.
    Limit other =
        switch (limit) {
          case TokenBucket bucket -> TokenBucket.of(LIMIT, Duration.ofMillis(1_100));
          case FixedWindow window -> FixedWindow.of(LIMIT, Duration.ofMillis(1_100));
          case SlidingWindow window -> SlidingWindow.of(LIMIT, Duration.ofMillis(1_100));
        };
    grantsNoMoreThanTheLimitAfterAPause(
        limit, policy -> store.decide(Policy.of(policy.name(), other), KEY, 1));
  }

  @ParameterizedTest
  @MethodSource("limits")
  void decidesOnSeveralByTheTimeOfOthers(Limit limit) {
    Policy second = Policy.of("second", FixedWindow.of(LIMIT, Duration.ofHours(1)));
    grantsNoMoreThanTheLimitAfterAPause(
        limit,
        policy ->
            store.decide(
                AcquireRequest.all(
                    new LimitRequest(policy, KEY, 1), new LimitRequest(second, KEY, 1))));
  }

  @ParameterizedTest
  @MethodSource("limits")
  void givesBackByTheTimeOfOthers(Limit limit) {
    grantsNoMoreThanTheLimitAfterAPause(
        limit,
        policy ->
            store.refund(
                AcquireRequest.of(new LimitRequest(policy, KEY, 1)), START.minusSeconds(60)));
  }

  @ParameterizedTest
  @MethodSource("limits")
  void settlesByTheTimeOfOthers(Limit limit) {
    grantsNoMoreThanTheLimitAfterAPause(limit, store::settle);
  }

  @ParameterizedTest
  @MethodSource("limits")
  void settlesOneKeyByTheTimeOfOthers(Limit limit) {
    grantsNoMoreThanTheLimitAfterAPause(limit, policy -> store.settle(policy, KEY));
  }

  @ParameterizedTest
  @MethodSource("limits")
  void saysByWhichTimeItWasDecided(Limit limit) {
    Policy policy = Policy.of("p", limit);
    assertThat(store.take(policy, KEY, 1)).isTrue();
    pause =
        () -> {
          now = START.plusSeconds(5);
          assertThat(store.take(policy, KEY, 1)).isTrue();
        };
    AcquireRequest paused = AcquireRequest.of(new LimitRequest(policy, KEY, 1));
    AcquireResult granted = store.decide(paused);
    assertThat(granted.decidedAt()).isEqualTo(now);
    assertThat(store.refund(paused, granted)).isNotNull();
    assertThat(takes(policy, LIMIT)).isEqualTo(LIMIT - 1);
  }

  private void grantsNoMoreThanTheLimitAfterAPause(Limit limit, Consumer<Policy> paused) {
    Policy policy = Policy.of("p", limit);
    // The key has an entry, of long ago.
    assertThat(store.take(policy, KEY, 1)).isTrue();
    pause =
        () -> {
          now = START.plusSeconds(5);
          assertThat(takes(policy, LIMIT)).isEqualTo(LIMIT);
        };
    paused.accept(policy);
    assertThat(takes(policy, LIMIT)).as("granted beyond the limit").isZero();
  }

  private int takes(Policy policy, int times) {
    return (int) IntStream.range(0, times).filter(i -> store.take(policy, KEY, 1)).count();
  }
}
