package dev.weir.notifications.kit;

import static dev.weir.notifications.kit.LogSteps.AT_MOST_ONCE;
import static dev.weir.notifications.kit.LogSteps.WRITER;
import static dev.weir.notifications.kit.LogSteps.delivery;
import static dev.weir.notifications.kit.LogSteps.found;
import static dev.weir.notifications.kit.LogSteps.handOver;
import static dev.weir.notifications.kit.LogSteps.publishedScene;
import static dev.weir.notifications.kit.LogSteps.receipt;
import static dev.weir.notifications.kit.LogSteps.record;
import static dev.weir.notifications.kit.LogSteps.reopened;
import static dev.weir.notifications.kit.LogSteps.report;
import static dev.weir.notifications.kit.MessageScene.id;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.notifications.messages.DeliveryGuarantee;
import dev.weir.notifications.messages.HandOver;
import dev.weir.notifications.messages.MessageLog.Attempt;
import dev.weir.notifications.messages.MessageLog.ReceiptResult;
import dev.weir.notifications.messages.MessageState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Claims about messages that are handed to a provider, once or again. */
interface HandOverClaims extends MessageClaims {
  @Test
  default void finishedMessagesAreNotHandedOutAgain() {
    MessageScene scene = publishedScene(messageScene(), 4);
    record(scene, 0, MessageState.SENT);
    record(scene, 1, MessageState.DELIVERED);
    record(scene, 2, MessageState.FAILED);

    assertThat(scene.otherNode.log().finished(List.of(id(0), id(1), id(2), id(3), id(9))))
        .containsExactlyInAnyOrder(id(0), id(1), id(2));
    assertThat(scene.otherNode.log().finished(List.of())).isEmpty();
  }

  /** So a crash after that, and before the answer, leaves behind that it may have been sent. */
  @Test
  default void handOverIsRecordedBeforeItIsMadeAndNotRepeatedByDefault() {
    MessageScene scene = publishedScene(messageScene(), 2);

    assertThat(handOver(scene, new DeliveryGuarantee.AtMostOnce(), 0, 9, 0))
        .containsExactly(
            new HandOver.Begun(), new HandOver.Unlogged(), new HandOver.InDoubt(Duration.ZERO));
    assertThat(found(scene, 0).state()).isEqualTo(MessageState.UNKNOWN);
    assertThat(found(scene, 0).changedAt()).isEqualTo(scene.clock.instant());
    scene.moveSeconds(100);

    assertThat(handOver(scene, new DeliveryGuarantee.AtMostOnce(), 0, 1))
        .containsExactly(new HandOver.InDoubt(Duration.ofSeconds(100)), new HandOver.Begun());
    assertThat(scene.node.log().finished(List.of(id(0)))).isEmpty();
    record(scene, 0, MessageState.SENT);
    assertThat(found(scene, 0).state()).isEqualTo(MessageState.SENT);
    assertThat(handOver(scene, new DeliveryGuarantee.AtMostOnce(), 0))
        .containsExactly(new HandOver.Finished());
  }

  @Test
  default void handOverWithoutAnAnswerIsRepeatedAfterATimeIfAskedFor() {
    MessageScene scene = publishedScene(messageScene(), 1);
    DeliveryGuarantee guarantee = new DeliveryGuarantee.AtLeastOnce(Duration.ofSeconds(10));

    assertThat(handOver(scene, guarantee, 0)).containsExactly(new HandOver.Begun());
    scene.moveSeconds(9);
    assertThat(handOver(scene, guarantee, 0))
        .containsExactly(new HandOver.InDoubt(Duration.ofSeconds(9)));
    scene.moveSeconds(1);
    assertThat(handOver(scene, guarantee, 0)).containsExactly(new HandOver.Begun());
    assertThat(handOver(scene, guarantee, 0)).containsExactly(new HandOver.InDoubt(Duration.ZERO));
  }

  @Test
  default void messageThatWasCertainlyNotTakenCanBeHandedOverAgain() {
    MessageScene scene = publishedScene(messageScene(), 2);
    Attempt attempt = Attempt.of(id(0));
    assertThat(handOver(scene, attempt)).isEqualTo(new HandOver.Begun());
    record(scene, 1, MessageState.SENT);

    scene.node.log().notTaken(List.of(attempt, Attempt.of(id(1)), Attempt.of(id(9))));

    assertThat(found(scene, 0).state()).isEqualTo(MessageState.ACCEPTED);
    assertThat(found(scene, 1).state()).isEqualTo(MessageState.SENT);
    assertThat(handOver(scene, new DeliveryGuarantee.AtMostOnce(), 0))
        .containsExactly(new HandOver.Begun());
  }

  /** The answer to the first try was lost. */
  @Test
  default void attemptThatIsRecordedAlreadyIsBegunAgain() {
    MessageScene scene = publishedScene(messageScene(), 1);
    Attempt attempt = Attempt.of(id(0));
    assertThat(handOver(scene, attempt)).isEqualTo(new HandOver.Begun());
    scene.moveSeconds(100);

    assertThat(handOver(scene, attempt)).isEqualTo(new HandOver.Begun());
    // With at least once, another sender awaits the answer from now on.
    assertThat(found(scene, 0).changedAt()).isEqualTo(scene.clock.instant());
    assertThat(handOver(scene, Attempt.of(id(0)))).isEqualTo(new HandOver.InDoubt(Duration.ZERO));
    assertThat(handOver(scene, attempt)).isEqualTo(new HandOver.Begun());
  }

  /** It is as young as the first try of this one, or younger. */
  @Test
  default void attemptOfAnotherSenderIsInDoubtHoweverYoungItIs() {
    MessageScene scene = publishedScene(messageScene(), 1);
    Attempt first = Attempt.of(id(0));
    Attempt second = Attempt.of(id(0));

    assertThat(scene.otherNode.log().handOver(List.of(second, first), "p", AT_MOST_ONCE))
        .containsExactly(new HandOver.Begun(), new HandOver.InDoubt(Duration.ZERO));
    assertThat(handOver(scene, first)).isEqualTo(new HandOver.InDoubt(Duration.ZERO));
    scene.node.log().notTaken(List.of(first));
    assertThat(found(scene, 0).state()).isEqualTo(MessageState.UNKNOWN);
    assertThat(handOver(scene, second)).isEqualTo(new HandOver.Begun());
  }

  /** This one was stopped, and another one has gone on with its messages. */
  @Test
  default void attemptThatAnotherSenderHasEndedIsNotBegunAgain() {
    for (MessageState end :
        List.of(
            MessageState.UNKNOWN, MessageState.SENT, MessageState.DELIVERED, MessageState.FAILED)) {
      MessageScene scene = publishedScene(messageScene(), 1);
      Attempt attempt = Attempt.of(id(0));
      assertThat(handOver(scene, attempt)).isEqualTo(new HandOver.Begun());
      scene.otherNode.log().record(List.of(delivery(scene, 0, end)));

      assertThat(handOver(scene, attempt))
          .as(end.name())
          .isEqualTo(
              end == MessageState.UNKNOWN
                  ? new HandOver.InDoubt(Duration.ZERO)
                  : new HandOver.Finished());
      scene.node.log().notTaken(List.of(attempt));
      assertThat(found(scene, 0).state()).isEqualTo(end);
    }
  }

  /** An operator may replay what the first sender is still trying to hand over. */
  @Test
  default void attemptDoesNotSurviveThatItsMessageIsHandedOutAgain() {
    MessageScene scene = publishedScene(messageScene(), 1);
    Attempt first = Attempt.of(id(0));
    assertThat(handOver(scene, first)).isEqualTo(new HandOver.Begun());
    assertThat(reopened(scene, 0)).containsExactly(id(0));
    Attempt second = Attempt.of(id(0));
    assertThat(handOver(scene, second)).isEqualTo(new HandOver.Begun());

    assertThat(handOver(scene, first)).isEqualTo(new HandOver.InDoubt(Duration.ZERO));
    scene.node.log().notTaken(List.of(first));
    assertThat(found(scene, 0).state()).isEqualTo(MessageState.UNKNOWN);
    scene.node.log().notTaken(List.of(second));
    assertThat(handOver(scene, first)).isEqualTo(new HandOver.Begun());
  }

  /** What this one knows about its attempt says nothing about that of the other one. */
  @Test
  default void attemptThatAnotherSenderHasRepeatedIsNoLongerThatOfTheFirst() {
    MessageScene scene = publishedScene(messageScene(), 1);
    DeliveryGuarantee guarantee = new DeliveryGuarantee.AtLeastOnce(Duration.ofSeconds(10));
    Attempt first = Attempt.of(id(0));
    assertThat(scene.node.log().handOver(List.of(first), "p", guarantee))
        .containsExactly(new HandOver.Begun());
    scene.moveSeconds(10);
    assertThat(handOver(scene, guarantee, 0)).containsExactly(new HandOver.Begun());

    assertThat(scene.node.log().handOver(List.of(first), "p", guarantee))
        .containsExactly(new HandOver.InDoubt(Duration.ZERO));
    scene.node.log().notTaken(List.of(first));
    assertThat(found(scene, 0).state()).isEqualTo(MessageState.UNKNOWN);
  }

  /** An operator may replay it; a receipt says what became of it. */
  @Test
  default void unknownMessageCanBeReopenedAndReported() {
    MessageScene scene = publishedScene(messageScene(), 2);
    assertThat(handOver(scene, new DeliveryGuarantee.AtMostOnce(), 0, 1)).hasSize(2);
    record(scene, 0, MessageState.UNKNOWN);
    assertThat(found(scene, 0).state()).isEqualTo(MessageState.UNKNOWN);

    assertThat(report(scene, 1, MessageState.DELIVERED)).isEqualTo(ReceiptResult.RECORDED);
    assertThat(reopened(scene, 0, 1)).containsExactly(id(0));
    assertThat(found(scene, 0).state()).isEqualTo(MessageState.ACCEPTED);
    assertThat(found(scene, 1).state()).isEqualTo(MessageState.DELIVERED);
  }

  @Test
  default void failedMessageCanBeHandedOutOnceMore() {
    MessageScene scene = publishedScene(messageScene(), 3);
    record(scene, 0, MessageState.FAILED);
    record(scene, 1, MessageState.SENT);

    assertThat(reopened(scene, 0, 1, 2, 9)).containsExactly(id(0));

    assertThat(found(scene, 0).state()).isEqualTo(MessageState.ACCEPTED);
    assertThat(found(scene, 0).reason()).isEmpty();
    record(scene, 0, MessageState.DELIVERED);
    assertThat(found(scene, 0).state()).isEqualTo(MessageState.DELIVERED);
    assertThat(scene.count(WRITER)).isEqualTo(3);
  }

  /** A copy of a letter about the first failure must not send it after the second. */
  @Test
  default void messageThatHasFailedAgainSinceIsNotHandedOut() {
    MessageScene scene = publishedScene(messageScene(), 1);
    record(scene, 0, MessageState.FAILED);
    Instant first = scene.clock.instant();
    assertThat(scene.node.log().reopen(List.of(id(0)), first)).containsExactly(id(0));
    scene.moveSeconds(1);
    record(scene, 0, MessageState.SENT);
    assertThat(receipt(scene, "p", "same", MessageState.FAILED)).isTrue();

    assertThat(scene.node.log().reopen(List.of(id(0)), first)).isEmpty();
    assertThat(found(scene, 0).state()).isEqualTo(MessageState.FAILED);
  }

  /** Whatever the clock of the node said when it gave the message up. */
  @Test
  default void messageIsReopenedByTheAttemptInWhichItWasGivenUp() {
    MessageScene scene = publishedScene(messageScene(), 2);
    Attempt first = Attempt.of(id(0));
    assertThat(handOver(scene, first)).isEqualTo(new HandOver.Begun());
    scene.node.log().record(List.of(scene.givenUp(first)));
    // A receipt that says the same leaves it the same failure.
    assertThat(report(scene, 0, MessageState.FAILED)).isEqualTo(ReceiptResult.RECORDED);

    assertThat(scene.otherNode.log().reopen(Attempt.of(id(0)))).isFalse();
    assertThat(scene.otherNode.log().reopen(new Attempt(id(1), first.id()))).isFalse();
    assertThat(scene.otherNode.log().reopen(first)).isTrue();
    assertThat(found(scene, 0).state()).isEqualTo(MessageState.ACCEPTED);
    assertThat(found(scene, 0).reason()).isEmpty();
    assertThat(scene.otherNode.log().reopen(first)).isFalse();

    // In flight, and given up once more: neither is the failure of the first.
    Attempt second = Attempt.of(id(0));
    assertThat(handOver(scene, second)).isEqualTo(new HandOver.Begun());
    assertThat(scene.node.log().reopen(first)).isFalse();
    scene.node.log().record(List.of(scene.givenUp(second)));
    assertThat(scene.node.log().reopen(first)).isFalse();
    assertThat(scene.node.log().reopen(second)).isTrue();
  }

  /** Its letter was written, the sender was killed, and the next one has found it in doubt. */
  @Test
  default void messageIsReopenedByTheAttemptThatAnotherSenderHasEndedAsUnknown() {
    MessageScene scene = publishedScene(messageScene(), 1);
    Attempt attempt = Attempt.of(id(0));
    assertThat(handOver(scene, attempt)).isEqualTo(new HandOver.Begun());
    Attempt other = Attempt.of(id(0));
    assertThat(handOver(scene, other)).isEqualTo(new HandOver.InDoubt(Duration.ZERO));
    record(scene, 0, MessageState.UNKNOWN);

    assertThat(scene.node.log().reopen(other)).isFalse();
    assertThat(scene.node.log().reopen(attempt)).isTrue();
    assertThat(found(scene, 0).state()).isEqualTo(MessageState.ACCEPTED);
    assertThat(handOver(scene, other)).isEqualTo(new HandOver.Begun());
    assertThat(scene.node.log().reopen(attempt)).isFalse();
  }

  /** Its letter was written, and then the sender was killed. */
  @Test
  default void messageIsReopenedByTheAttemptThatItIsIn() {
    MessageScene scene = publishedScene(messageScene(), 2);
    Attempt attempt = Attempt.of(id(0));
    Attempt taken = Attempt.of(id(1));
    assertThat(handOver(scene, attempt)).isEqualTo(new HandOver.Begun());
    assertThat(handOver(scene, taken)).isEqualTo(new HandOver.Begun());
    record(scene, 1, MessageState.SENT);

    assertThat(scene.node.log().reopen(attempt)).isTrue();
    assertThat(scene.node.log().reopen(taken)).isFalse();
    assertThat(found(scene, 1).state()).isEqualTo(MessageState.SENT);
  }
}
