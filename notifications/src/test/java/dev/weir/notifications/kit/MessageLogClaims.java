package dev.weir.notifications.kit;

import static dev.weir.notifications.kit.LogSteps.WRITER;
import static dev.weir.notifications.kit.LogSteps.delivery;
import static dev.weir.notifications.kit.LogSteps.found;
import static dev.weir.notifications.kit.LogSteps.publishedScene;
import static dev.weir.notifications.kit.LogSteps.record;
import static dev.weir.notifications.kit.MessageScene.id;
import static dev.weir.notifications.kit.MessageScene.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.notifications.messages.MessageLog.Delivery;
import dev.weir.notifications.messages.MessageRecord;
import dev.weir.notifications.messages.MessageState;
import dev.weir.notifications.messages.SendResult;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Claims about the log of messages: what is recorded, and for how long it is kept. */
interface MessageLogClaims extends MessageClaims {
  @Test
  default void recordNeverMovesAMessageBackwards() {
    MessageScene scene = publishedScene(messageScene(), 1);
    scene.moveSeconds(5);

    record(scene, 0, MessageState.SENT);
    assertThat(found(scene, 0).state()).isEqualTo(MessageState.SENT);
    assertThat(found(scene, 0).changedAt()).isEqualTo(scene.clock.instant());
    record(scene, 0, MessageState.DELIVERED);
    MessageRecord delivered = found(scene, 0);
    assertThat(delivered.state()).isEqualTo(MessageState.DELIVERED);
    scene.moveSeconds(5);
    record(scene, 0, MessageState.SENT);
    record(scene, 0, MessageState.FAILED);
    assertThat(found(scene, 0)).isEqualTo(delivered);
  }

  @Test
  default void deliveriesOfOneMessageAreRecordedInOrder() {
    MessageScene scene = publishedScene(messageScene(), 2);

    scene
        .node
        .log()
        .record(
            List.of(
                delivery(scene, 1, MessageState.FAILED),
                delivery(scene, 0, MessageState.SENT),
                delivery(scene, 9, MessageState.SENT),
                delivery(scene, 0, MessageState.DELIVERED)));

    assertThat(found(scene, 0).state()).isEqualTo(MessageState.DELIVERED);
    assertThat(found(scene, 1).state()).isEqualTo(MessageState.FAILED);
    assertThat(found(scene, 1).reason()).contains("no such number");
    assertThat(scene.node.log().find(id(9))).isEmpty();
  }

  @Test
  default void keyOfAFailedMessageFindsTheFailure() {
    MessageScene scene = messageScene();
    scene.limit(WRITER, 100);
    scene.accept(request(0, WRITER, "k"));
    scene.node.ledger().published(List.of(id(0)));
    record(scene, 0, MessageState.FAILED);

    assertThat(scene.place(request(1, WRITER, "k")))
        .isInstanceOfSatisfying(
            SendResult.Failed.class,
            failed -> assertThat(failed.record()).isEqualTo(found(scene, 0)));
    assertThat(scene.node.deferred().defer(request(2, WRITER, "k"), scene.clock.instant()))
        .isInstanceOf(SendResult.Failed.class);
    assertThat(scene.count(WRITER)).isEqualTo(1);
  }

  @Test
  default void oldMessagesThatHaveEndedAreRemovedWithTheirKeys() {
    MessageScene scene = publishedScene(messageScene(), 3);
    record(scene, 0, MessageState.SENT);
    record(scene, 1, MessageState.DELIVERED);
    record(scene, 2, MessageState.FAILED);
    scene.accept(request(4, WRITER, "k"));
    scene.node.ledger().published(List.of(id(4)));
    record(scene, 4, MessageState.SENT);
    scene.moveSeconds(1);
    scene.accept(request(5, WRITER));
    scene.node.ledger().published(List.of(id(5)));
    record(scene, 5, MessageState.SENT);

    assertThat(scene.node.log().removeOlder(Duration.ofSeconds(1), 9)).isZero();
    assertThat(scene.node.log().removeOlder(Duration.ZERO, 3)).isEqualTo(3);
    assertThat(scene.node.log().removeOlder(Duration.ZERO, 9)).isEqualTo(1);

    for (int removed : List.of(0, 1, 2, 4)) {
      assertThat(scene.otherNode.log().find(id(removed))).isEmpty();
    }
    assertThat(scene.otherNode.log().find(id(5))).isPresent();
    assertThat(scene.place(request(6, WRITER, "k"))).isInstanceOf(SendResult.Accepted.class);
  }

  /** Otherwise it is delivered after all, and a request with its key sends it a second time. */
  @Test
  default void messageThatHasNotEndedIsNeverRemoved() {
    MessageScene scene = publishedScene(messageScene(), 1);
    scene.accept(request(1, WRITER, "k"));
    scene.node.ledger().published(List.of(id(1)));
    scene.accept(request(2, WRITER));
    scene.node.deferred().defer(request(3, WRITER), scene.clock.instant());
    scene.moveSeconds(1_000_000_000);

    assertThat(scene.node.log().removeOlder(Duration.ZERO, 9)).isZero();

    for (int kept : List.of(0, 1, 2, 3)) {
      assertThat(scene.otherNode.log().find(id(kept))).isPresent();
    }
    assertThat(scene.place(request(4, WRITER, "k"))).isInstanceOf(SendResult.Repeated.class);
  }

  /** Otherwise a copy of it that is read after the removal would be delivered a second time. */
  @Test
  default void messageThatWasDeferredLongerThanOthersAreKeptIsKeptAfterItsRelease() {
    MessageScene scene = messageScene();
    scene.limit(WRITER, 100);
    Instant dueAt = scene.clock.instant().plusSeconds(1_000);
    scene.node.deferred().defer(request(0, WRITER, "k"), dueAt);
    scene.moveSeconds(1_000);
    assertThat(scene.node.deferred().release(List.of(id(0)))).hasSize(1);
    scene.node.ledger().published(List.of(id(0)));
    scene.moveSeconds(100);

    assertThat(scene.node.log().removeOlder(Duration.ofSeconds(100), 9)).isZero();
    assertThat(scene.place(request(1, WRITER, "k"))).isInstanceOf(SendResult.Repeated.class);
    record(scene, 0, MessageState.SENT);
    assertThat(scene.otherNode.log().finished(List.of(id(0)))).containsExactly(id(0));
    scene.moveSeconds(100);
    assertThat(scene.node.log().removeOlder(Duration.ofSeconds(100), 9)).isZero();
    scene.moveSeconds(1);
    assertThat(scene.node.log().removeOlder(Duration.ofSeconds(100), 9)).isOne();
  }

  /** A remote system chose the reason, and it must not prevent the record. */
  @Test
  default void anyReasonIsRecorded() {
    MessageScene scene = publishedScene(messageScene(), 1);
    String reason = "nul \u0000 and \ud83d half" + "x".repeat(1_000);

    scene
        .node
        .log()
        .record(
            List.of(
                new Delivery(
                    id(0),
                    MessageState.FAILED,
                    scene.clock.instant(),
                    "p",
                    List.of(),
                    Optional.of(reason))));

    assertThat(found(scene, 0).reason().orElseThrow()).startsWith("nul \ufffd and \ufffd half");
  }
}
