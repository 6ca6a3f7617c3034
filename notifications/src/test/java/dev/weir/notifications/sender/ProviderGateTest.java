package dev.weir.notifications.sender;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.FutureTask;
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
      gate.failed(1, "HTTP status 503", HOUR);
    }
    assertThat(gate.enter(assignment, 1)).isTrue();
  }

  @Test
  void usersThatFailPauseNoOtherWhileMessagesAreAnswered() {
    ProviderGate gate = gate(HOUR);
    for (int user = 0; user < 100; user++) {
      gate.failed(user, "HTTP status 503", HOUR);
      gate.answered();
    }
    assertThat(gate.enter(assignment, 1)).isTrue();
  }

  @Test
  void providerThatFailsForAllUsersIsPaused() throws Exception {
    ProviderGate gate = gate(HOUR);
    for (int user = 0; user < 3; user++) {
      gate.failed(user, "HTTP status 503", Duration.ZERO);
    }
    FutureTask<Boolean> entering = new FutureTask<>(() -> gate.enter(assignment, 1));
    Thread thread = Thread.ofPlatform().start(entering);
    while (thread.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    assignment.revoke();
    assertThat(entering.get()).isFalse();
  }

  @Test
  void brokenProviderIsTriedWithOneMessageAtATimeUntilItAnswers() throws Exception {
    ProviderGate gate = gate(Duration.ofMillis(1));
    for (int user = 0; user < 3; user++) {
      gate.failed(user, "HTTP status 503", Duration.ZERO);
    }
    assertThat(gate.enter(assignment, 1)).isTrue();
    FutureTask<Boolean> second = new FutureTask<>(() -> gate.enter(assignment, 1));
    Thread thread = Thread.ofPlatform().start(second);
    while (thread.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    assertThat(second).isNotDone();
    gate.answered();
    gate.leave();
    assertThat(second.get()).isTrue();
    assertThat(gate.enter(assignment, 1)).isTrue();
  }

  private static ProviderGate gate(Duration pause) {
    return new ProviderGate("test", 64, Optional.empty(), new RetryPolicy(HOUR, 1, pause, pause));
  }
}
