package dev.weir.notifications.kit;

import static dev.weir.notifications.kit.LogSteps.WRITER;
import static dev.weir.notifications.kit.LogSteps.found;
import static dev.weir.notifications.kit.LogSteps.publishedScene;
import static dev.weir.notifications.kit.LogSteps.receipt;
import static dev.weir.notifications.kit.LogSteps.record;
import static dev.weir.notifications.kit.LogSteps.recordParts;
import static dev.weir.notifications.kit.LogSteps.reopened;
import static dev.weir.notifications.kit.LogSteps.report;
import static dev.weir.notifications.kit.MessageScene.id;
import static dev.weir.notifications.kit.MessageScene.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.notifications.messages.MessageLog.Delivery;
import dev.weir.notifications.messages.MessageLog.ReceiptResult;
import dev.weir.notifications.messages.MessageRecord;
import dev.weir.notifications.messages.MessageState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Claims about what providers report. */
interface ReceiptClaims extends MessageClaims {
  @Test
  default void receiptIsForTheNewestMessageWithItsId() {
    MessageScene scene = publishedScene(messageScene(), 1);
    record(scene, 0, MessageState.SENT);
    scene.moveSeconds(1);
    scene.accept(request(1, WRITER));
    record(scene, 1, MessageState.SENT);

    assertThat(receipt(scene, "p", "other", MessageState.DELIVERED)).isFalse();
    assertThat(receipt(scene, "other", "same", MessageState.DELIVERED)).isFalse();
    assertThat(receipt(scene, "p", "same", MessageState.FAILED)).isTrue();

    assertThat(found(scene, 0).state()).isEqualTo(MessageState.SENT);
    assertThat(found(scene, 1).state()).isEqualTo(MessageState.FAILED);
    assertThat(found(scene, 1).reason()).isPresent();
    assertThat(receipt(scene, "p", "same", MessageState.DELIVERED)).isTrue();
    assertThat(found(scene, 1).state()).isEqualTo(MessageState.FAILED);
  }

  @Test
  default void messageIsDeliveredWhenAllOfItsPartsAre() {
    MessageScene scene = publishedScene(messageScene(), 1);
    recordParts(scene, 0, "a", "b", "c");

    assertThat(receipt(scene, "p", "c", MessageState.DELIVERED)).isTrue();
    assertThat(receipt(scene, "p", "a", MessageState.DELIVERED)).isTrue();
    assertThat(receipt(scene, "p", "a", MessageState.DELIVERED)).isTrue();
    assertThat(receipt(scene, "p", "d", MessageState.DELIVERED)).isFalse();
    assertThat(found(scene, 0).state()).isEqualTo(MessageState.SENT);

    assertThat(receipt(scene, "p", "b", MessageState.DELIVERED)).isTrue();
    assertThat(found(scene, 0).state()).isEqualTo(MessageState.DELIVERED);
  }

  /** A record is repeated if the answer of the store to it was lost. */
  @Test
  default void recordThatIsRepeatedKeepsTheReceiptsOfParts() {
    MessageScene scene = publishedScene(messageScene(), 1);
    recordParts(scene, 0, "a", "b");
    assertThat(receipt(scene, "p", "a", MessageState.DELIVERED)).isTrue();
    recordParts(scene, 0, "a", "b");
    assertThat(receipt(scene, "p", "b", MessageState.DELIVERED)).isTrue();
    assertThat(found(scene, 0).state()).isEqualTo(MessageState.DELIVERED);
  }

  /** The answer to an earlier attempt may come after that to a later one. */
  @Test
  default void partsAreThoseOfTheAttemptThatWasRecordedFirst() {
    MessageScene scene = publishedScene(messageScene(), 1);
    recordParts(scene, 0, "a", "b");
    assertThat(receipt(scene, "p", "a", MessageState.DELIVERED)).isTrue();
    scene.moveSeconds(1);
    recordParts(scene, 0, "c", "d");
    assertThat(receipt(scene, "p", "c", MessageState.DELIVERED)).isFalse();
    assertThat(receipt(scene, "p", "b", MessageState.DELIVERED)).isTrue();
    assertThat(found(scene, 0).state()).isEqualTo(MessageState.DELIVERED);
  }

  @Test
  default void messageHasFailedIfOneOfItsPartsHas() {
    MessageScene scene = publishedScene(messageScene(), 2);
    recordParts(scene, 0, "a", "b");

    assertThat(receipt(scene, "p", "a", MessageState.DELIVERED)).isTrue();
    assertThat(receipt(scene, "p", "b", MessageState.FAILED)).isTrue();
    assertThat(found(scene, 0).state()).isEqualTo(MessageState.FAILED);
    assertThat(receipt(scene, "p", "b", MessageState.DELIVERED)).isTrue();
    assertThat(found(scene, 0).state()).isEqualTo(MessageState.FAILED);

    // Its parts have other ids when it is sent again.
    assertThat(reopened(scene, 0)).containsExactly(id(0));
    recordParts(scene, 0, "e", "f");
    assertThat(receipt(scene, "p", "e", MessageState.DELIVERED)).isTrue();
    assertThat(receipt(scene, "p", "f", MessageState.DELIVERED)).isTrue();
    assertThat(found(scene, 0).state()).isEqualTo(MessageState.DELIVERED);
  }

  /** Otherwise a node or a provider with a wrong clock decides how long a message is kept. */
  @Test
  default void receiptChangesAMessageAtTheTimeOfTheStore() {
    MessageScene scene = publishedScene(messageScene(), 2);
    record(scene, 0, MessageState.SENT);
    scene.moveSeconds(5);
    Instant wrong = scene.clock.instant().plus(Duration.ofDays(31));
    Delivery report =
        new Delivery(id(1), MessageState.DELIVERED, wrong, "p", List.of(), Optional.empty());

    assertThat(scene.otherNode.log().receipt("p", "same", MessageState.DELIVERED, wrong)).isTrue();
    assertThat(scene.otherNode.log().receipt(report)).isEqualTo(ReceiptResult.RECORDED);
    for (int i = 0; i < 2; i++) {
      assertThat(found(scene, i).state()).isEqualTo(MessageState.DELIVERED);
      assertThat(found(scene, i).changedAt()).isEqualTo(scene.clock.instant());
    }
  }

  /** The sender may have given up on a message that the provider has. */
  @Test
  default void firstReceiptWinsOverAFailureOfTheSender() {
    MessageScene scene = publishedScene(messageScene(), 3);
    record(scene, 0, MessageState.FAILED);
    record(scene, 1, MessageState.FAILED);
    MessageRecord failed = found(scene, 1);
    scene.moveSeconds(5);

    assertThat(report(scene, 0, MessageState.DELIVERED)).isEqualTo(ReceiptResult.RECORDED);
    assertThat(found(scene, 0).state()).isEqualTo(MessageState.DELIVERED);
    assertThat(found(scene, 0).reason()).isEmpty();
    assertThat(report(scene, 0, MessageState.DELIVERED)).isEqualTo(ReceiptResult.REPEATED);
    assertThat(report(scene, 0, MessageState.FAILED)).isEqualTo(ReceiptResult.CONTRADICTED);
    assertThat(reopened(scene, 0)).isEmpty();

    assertThat(report(scene, 1, MessageState.FAILED)).isEqualTo(ReceiptResult.RECORDED);
    assertThat(report(scene, 1, MessageState.DELIVERED)).isEqualTo(ReceiptResult.CONTRADICTED);
    assertThat(found(scene, 1).state()).isEqualTo(MessageState.FAILED);
    assertThat(found(scene, 1).changedAt()).isEqualTo(failed.changedAt());
    assertThat(reopened(scene, 1)).containsExactly(id(1));
    assertThat(report(scene, 1, MessageState.DELIVERED)).isEqualTo(ReceiptResult.RECORDED);
  }

  @Test
  default void receiptWinsOverAFailureAlsoByTheIdOfTheProvider() {
    MessageScene scene = publishedScene(messageScene(), 1);
    record(scene, 0, MessageState.SENT);
    assertThat(receipt(scene, "p", "same", MessageState.FAILED)).isTrue();
    assertThat(reopened(scene, 0)).containsExactly(id(0));
    record(scene, 0, MessageState.FAILED);

    assertThat(receipt(scene, "p", "same", MessageState.DELIVERED)).isTrue();
    assertThat(found(scene, 0).state()).isEqualTo(MessageState.DELIVERED);
  }

  @Test
  default void receiptOfAMessageThatWasNotSentIsRefused() {
    MessageScene scene = messageScene();
    scene.limit(WRITER, 100);
    scene.node.deferred().defer(request(0, WRITER), scene.clock.instant().plusSeconds(60));

    assertThat(report(scene, 0, MessageState.DELIVERED)).isEqualTo(ReceiptResult.NOT_SENT);
    assertThat(report(scene, 9, MessageState.DELIVERED)).isEqualTo(ReceiptResult.UNKNOWN);
    assertThat(found(scene, 0).state()).isEqualTo(MessageState.DEFERRED);
  }
}
