package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CircuitBreakerTest {
  private long nowMicros;
  private long chance = 0;
  private final List<CircuitBreaker.State> states = new ArrayList<>();
  private final CircuitBreaker breaker =
      new CircuitBreaker(
          new CircuitBreaker.Settings(2, Duration.ofMillis(100), Duration.ofMillis(300)),
          () -> nowMicros,
          () -> chance,
          states::add);

  private void open() {
    breaker.failed();
    breaker.failed();
  }

  @Test
  void staysClosedUnlessFailuresComeInARow() {
    for (int i = 0; i < 10; i++) {
      breaker.failed();
      assertThat(breaker.mayTry()).isTrue();
      breaker.succeeded();
    }
    assertThat(states).isEmpty();
    assertThat(breaker.isOpen()).isFalse();
  }

  @Test
  void blocksCallsDuringThePauseAndThenAdmitsOne() {
    nowMicros = 5;
    open();
    assertThat(breaker.isOpen()).isTrue();
    assertThat(breaker.changedAtMicros()).isEqualTo(5);
    nowMicros = 100_004;
    assertThat(breaker.mayTry()).isFalse();
    nowMicros = 100_005;
    assertThat(breaker.mayTry()).isTrue();
    assertThat(breaker.mayTry()).as("a second one").isFalse();
    assertThat(breaker.isOpen()).isTrue();
  }

  @Test
  void closesWhenTheTrialCallSucceeds() {
    open();
    nowMicros = 100_000;
    assertThat(breaker.mayTry()).isTrue();
    breaker.succeeded();
    assertThat(breaker.isOpen()).isFalse();
    assertThat(breaker.mayTry()).isTrue();
    assertThat(breaker.changedAtMicros()).isEqualTo(100_000);
    assertThat(states)
        .containsExactly(
            CircuitBreaker.State.OPEN, CircuitBreaker.State.HALF_OPEN, CircuitBreaker.State.CLOSED);
  }

  @Test
  void pausesGrowUpToABoundAndAreShortAgainAfterARecovery() {
    open();
    for (long pauseMicros : new long[] {100_000, 200_000, 300_000, 300_000}) {
      assertThat(breaker.retryAfterMicros()).isEqualTo(pauseMicros);
      nowMicros += pauseMicros - 1;
      assertThat(breaker.mayTry()).isFalse();
      nowMicros++;
      assertThat(breaker.mayTry()).isTrue();
      breaker.failed();
    }
    nowMicros += 300_000;
    assertThat(breaker.mayTry()).isTrue();
    breaker.succeeded();
    open();
    assertThat(breaker.retryAfterMicros()).isEqualTo(100_000);
  }

  @Test
  void chanceShortensAPauseByHalfAtMost() {
    chance = 50_000;
    open();
    nowMicros = 49_999;
    assertThat(breaker.mayTry()).isFalse();
    nowMicros = 100_000;
    assertThat(breaker.mayTry()).isTrue();
  }

  @Test
  void lateAnswerDoesNotCloseIt() {
    open();
    breaker.succeeded();
    assertThat(breaker.isOpen()).isTrue();
    assertThat(breaker.mayTry()).isFalse();
  }

  @Test
  void refusesSettingsThatCannotBe() {
    assertThatThrownBy(
            () -> new CircuitBreaker.Settings(0, Duration.ofMillis(1), Duration.ofMillis(1)))
        .hasMessageContaining("failures");
    assertThatThrownBy(() -> new CircuitBreaker.Settings(1, Duration.ZERO, Duration.ofMillis(1)))
        .hasMessageContaining("firstPause");
    assertThatThrownBy(
            () -> new CircuitBreaker.Settings(1, Duration.ofMillis(2), Duration.ofMillis(1)))
        .hasMessageContaining("firstPause");
  }
}
