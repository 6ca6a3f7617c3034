package dev.weir.notifications;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.notifications.ScriptedPublisher.Behaviour;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.MessageRecord;
import dev.weir.notifications.messages.MessageState;
import dev.weir.notifications.messages.SendResult;
import java.time.Duration;
import java.util.Comparator;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class RepublisherTest {
  private static final Comparator<Message> BY_TIME =
      Comparator.comparingInt(message -> Integer.parseInt(message.text()));

  private final ScriptedPublisher broker = new ScriptedPublisher();
  private final SendScene scene = new SendScene(broker);
  private int crashes;

  @BeforeEach
  void configure() {
    scene.limit(1, 1_000);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void publishesWhatACrashLeftInTheOutboxOnceItIsOld() {
    broker.behave(Behaviour.CRASHES);
    crash();
    broker.behave(Behaviour.TAKES);
    scene.republisher.run();
    assertThat(broker.topic()).isEmpty();
    scene.stores.clock.move(SendScene.OLD);
    scene.republisher.run();
    assertThat(broker.topic()).hasSize(1);
    assertThat(scene.stores.outbox()).isEmpty();
    scene.republisher.run();
    assertThat(broker.topic()).hasSize(1);
  }

  @Test
  void publishesInTheOrderOfTheOutboxAndInSeveralBatches() {
    broker.behave(Behaviour.CRASHES);
    IntStream.range(0, 450).forEach(i -> crash());
    broker.behave(Behaviour.TAKES);
    scene.stores.clock.move(SendScene.OLD);
    scene.republisher.run();
    assertThat(broker.topic()).hasSize(450).isSortedAccordingTo(BY_TIME);
    assertThat(scene.stores.outbox()).isEmpty();
  }

  @Test
  void claimedMessageIsNotPublishedByAnotherNodeUntilTheClaimEnds() {
    broker.behave(Behaviour.CRASHES);
    crash();
    scene.stores.clock.move(SendScene.OLD);
    broker.behave(Behaviour.LOSES);
    scene.republisher.run();
    broker.behave(Behaviour.TAKES);
    scene.republisher.run();
    assertThat(broker.topic()).isEmpty();
    scene.stores.clock.move(Duration.ofMinutes(1));
    scene.republisher.run();
    assertThat(broker.topic()).hasSize(1);
  }

  @Test
  void outageEndsWhenTheBrokerAnswersAgain() {
    broker.behave(Behaviour.LOSES);
    assertThat(scene.send(1, "hello")).isInstanceOf(SendResult.BrokerUnknown.class);
    scene.republisher.run();
    assertThat(scene.health.isDown()).isTrue();
    assertThat(scene.health.reason()).isEqualTo("no answer");
    broker.behave(Behaviour.TAKES);
    scene.republisher.run();
    assertThat(scene.health.isDown()).isFalse();
    assertThat(scene.send(1, "hello")).isInstanceOf(SendResult.Sent.class);
  }

  @Test
  void messageThatTheBrokerNeverTakesHasFailedAndDoesNotStopOthers() {
    broker.behave(Behaviour.CRASHES);
    IntStream.range(0, 4).forEach(i -> crash());
    Set<UUID> crashed = scene.stores.outbox();
    scene.stores.clock.move(SendScene.OLD);
    broker.behave(Behaviour.REJECTS_ODD);
    scene.republisher.run();
    assertThat(scene.health.isDown()).isFalse();
    assertThat(scene.stores.outbox()).isEmpty();
    assertThat(broker.topic()).extracting(Message::text).containsExactly("0", "2");
    assertThat(scene.count(1)).isEqualTo(2);
    crashed.removeAll(broker.ids());
    assertThat(crashed)
        .hasSize(2)
        .allSatisfy(
            id -> {
              MessageRecord record = scene.stores.find(id).orElseThrow();
              assertThat(record.state()).isEqualTo(MessageState.FAILED);
              assertThat(record.reason()).contains("odd");
            });
  }

  @Test
  void keyOfAMessageThatTheBrokerNeverTakesIsFreeAgain() {
    broker.behave(Behaviour.LOSES);
    assertThat(scene.send(1, "1", "key")).isInstanceOf(SendResult.BrokerUnknown.class);
    scene.stores.clock.move(SendScene.OLD);
    broker.behave(Behaviour.REJECTS_ODD);
    scene.republisher.run();
    assertThat(scene.send(1, "1", "key")).isInstanceOf(SendResult.BrokerRefused.class);
    assertThat(scene.count(1)).isZero();
  }

  private void crash() {
    assertThat(ScriptedPublisher.unlessCrashed(() -> scene.send(1, Integer.toString(crashes))))
        .isEmpty();
    crashes++;
  }
}
