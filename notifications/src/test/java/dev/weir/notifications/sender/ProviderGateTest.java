package dev.weir.notifications.sender;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.AcquireResult;
import dev.weir.limits.Decision;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.LimitObserver;
import dev.weir.limits.Limiter;
import dev.weir.limits.Outcome;
import dev.weir.limits.Policy;
import dev.weir.limits.memory.MemoryLimitStore;
import dev.weir.notifications.MemoryStores;
import dev.weir.store.tck.SettableClock;
import dev.weir.store.tck.internal.Await;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ProviderGateTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final Assignment assignment = new Assignment(new TopicPartition("topic", 0), 0);

  @Test
  void oneUserThatFailsPausesNoOther() {
    ProviderGate gate = gate(HOUR);
    for (int i = 0; i < 100; i++) {
      fail(gate, 1, "HTTP status 503", HOUR);
    }
    assertThat(gate.enter(assignment, 11, 1)).isPresent();
  }

  @Test
  void usersThatFailPauseNoOtherWhileMessagesAreAnswered() {
    ProviderGate gate = gate(HOUR);
    for (int user = 0; user < 100; user++) {
      fail(gate, user, "HTTP status 503", HOUR);
      gate.answered();
    }
    assertThat(gate.enter(assignment, 11, 1)).isPresent();
  }

  @Test
  void providerThatFailsForAllUsersIsPaused() throws Exception {
    ProviderGate gate = gate(HOUR);
    for (int user = 0; user < 3; user++) {
      fail(gate, user, "HTTP status 503", Duration.ZERO);
    }
    FutureTask<Optional<ProviderGate.Pass>> entering =
        new FutureTask<>(() -> gate.enter(assignment, 12, 1));
    Thread thread = Thread.ofPlatform().start(entering);
    Await.until(() -> thread.getState() == Thread.State.TIMED_WAITING);
    assignment.revoke();
    assertThat(entering.get()).isEmpty();
  }

  @Test
  void brokenProviderIsTriedWithOneMessageAtATimeUntilItAnswers() throws Exception {
    ProviderGate gate = gate(Duration.ofMillis(1));
    for (int user = 0; user < 3; user++) {
      fail(gate, user, "HTTP status 503", Duration.ZERO);
    }
    ProviderGate.Pass first = gate.enter(assignment, 10, 1).orElseThrow();
    FutureTask<Optional<ProviderGate.Pass>> second =
        new FutureTask<>(() -> gate.enter(assignment, 12, 1));
    Thread thread = Thread.ofPlatform().start(second);
    Await.until(() -> thread.getState() == Thread.State.TIMED_WAITING);
    assertThat(second).isNotDone();
    gate.answered();
    gate.leave(first);
    assertThat(second.get()).isPresent();
    assertThat(gate.enter(assignment, 11, 1)).isPresent();
  }

  /** A user that fails is tried beside the others, so that it does not keep them back. */
  @Test
  void userThatHangsDoesNotTakeTheTurnOfOthersWhileTheProviderIsBroken() {
    ProviderGate gate = gate(Duration.ofMillis(1));
    for (int user = 0; user < 3; user++) {
      fail(gate, user, "no answer", Duration.ZERO);
    }
    assertThat(gate.enter(assignment, 0, 1)).isPresent();
    assertThat(gate.enter(assignment, 10, 1)).isPresent();
  }

  @Test
  void pausesOfUsersThatFailAgainDoNotStopOthers() {
    ProviderGate gate = gate(Duration.ofMillis(1));
    for (int user = 0; user < 3; user++) {
      fail(gate, user, "no answer", Duration.ZERO);
    }
    fail(gate, 1, "no answer", HOUR);
    assertThat(gate.enter(assignment, 10, 1)).isPresent();
  }

  private void fail(ProviderGate gate, long user, String reason, Duration retryAfter) {
    ProviderGate.Pass pass = gate.enter(assignment, user, 1).orElseThrow();
    gate.leave(pass);
    gate.failed(pass, reason, retryAfter);
  }

  /** The rate is of parts, also for a message of more parts than it allows at once. */
  @Test
  void longMessagePassesWhenTheRateHasAllowedAllOfItsParts() throws Exception {
    Duration window = Duration.ofMillis(20);
    SettableClock clock = new SettableClock(MemoryStores.START);
    AtomicInteger refusals = new AtomicInteger();
    LimitObserver observer =
        new LimitObserver() {
          @Override
          public void decided(Policy decided, Outcome outcome, AcquireResult.Mode mode) {
            if (outcome instanceof Decision.Refused) {
              refusals.incrementAndGet();
            }
          }
        };
    try (Limiter limiter = Limiter.on(new MemoryLimitStore(clock, 10)).observedBy(observer)) {
      SenderSettings.Rate rate =
          new SenderSettings.Rate(limiter, Policy.of("sms", FixedWindow.of(3, window)));
      ProviderGate gate =
          new ProviderGate("test", 64, Optional.of(rate), new RetryPolicy(HOUR, 1, HOUR, HOUR));
      FutureTask<Optional<ProviderGate.Pass>> entering =
          new FutureTask<>(() -> gate.enter(assignment, 1, 7));
      Thread.ofPlatform().daemon().start(entering);
      for (int windows = 1; windows <= 2; windows++) {
        int before = refusals.get();
        // The first one may have begun in the window before.
        Await.until(() -> refusals.get() > before + 1 || entering.isDone());
        assertThat(entering).isNotDone();
        clock.move(window);
      }
      assertThat(entering.get()).isPresent();
    }
  }

  private static ProviderGate gate(Duration pause) {
    return new ProviderGate("test", 64, Optional.empty(), new RetryPolicy(HOUR, 1, pause, pause));
  }
}
