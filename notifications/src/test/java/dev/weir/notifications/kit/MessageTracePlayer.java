package dev.weir.notifications.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import dev.weir.notifications.kit.MessageTrace.Move;
import dev.weir.notifications.messages.SendLedger.Claimed;
import dev.weir.notifications.messages.SendResult;
import dev.weir.notifications.messages.UserState;
import java.time.Duration;
import java.util.List;

/** Runs a trace on a store and on the model, and compares every result and all that is stored. */
final class MessageTracePlayer {
  /** Reading every message after every step would take most of the time. */
  private static final int STEPS_BETWEEN_LOOKS = 8;

  private final MessageScene scene;
  private final MessageStore model;
  private long retryMicros;
  private int steps;

  MessageTracePlayer(MessageScene scene) {
    this.scene = scene;
    this.model = new NaiveMessages(scene.clock).asStore();
  }

  void play(MessageTrace trace) {
    trace.moves().forEach(this::play);
    assertThat(scene.observe(scene.node)).isEqualTo(scene.observe(model));
    scene.clock.move(Duration.ofDays(1));
    List<Claimed> outbox =
        model.ledger().claimUnpublished(Duration.ZERO, Duration.ZERO, MessageStep.MESSAGES);
    assertThat(
            scene
                .node
                .ledger()
                .claimUnpublished(Duration.ZERO, Duration.ZERO, MessageStep.MESSAGES))
        .isEqualTo(outbox);
  }

  private void play(Move move) {
    switch (move) {
      case Move.MoveClock clock -> scene.clock.move(Micros.duration(clock.micros()));
      case Move.AwaitRetry await ->
          scene.clock.move(Micros.duration(retryMicros + await.moreMicros()));
      case Move.Do todo -> {
        Object expected = scene.run(model, todo.step());
        assertThat(scene.run(scene.node(todo.node()), todo.step()))
            .as("%s", todo.step())
            .isEqualTo(expected);
        MessageStore other = scene.node(1 - todo.node());
        assertThat(users(other)).isEqualTo(users(model));
        if (++steps % STEPS_BETWEEN_LOOKS == 0) {
          assertThat(scene.observe(other)).isEqualTo(scene.observe(model));
        }
        note(expected);
      }
    }
  }

  private static List<UserState> users(MessageStore store) {
    return store.limits().list(-1, MessageStep.USERS);
  }

  private void note(Object result) {
    if (result instanceof List<?> results) {
      for (Object each : results) {
        if (each instanceof SendResult.Limited limited) {
          retryMicros = limited.decision().retryAfterMicros();
        }
      }
    }
  }
}
