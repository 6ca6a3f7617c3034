package dev.weir.store.tck.notifications;

import static dev.weir.store.tck.notifications.MessageScene.id;
import static dev.weir.store.tck.notifications.MessageScene.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.notifications.DeliveryGuarantee;
import dev.weir.engine.notifications.HandOver;
import dev.weir.engine.notifications.MessageLog.Attempt;
import dev.weir.engine.notifications.MessageLog.Delivery;
import dev.weir.engine.notifications.MessageLog.ReceiptResult;
import dev.weir.engine.notifications.MessageRecord;
import dev.weir.engine.notifications.MessageState;
import dev.weir.engine.notifications.SendResult;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Claims about the log of messages. */
interface MessageLogClaims extends MessageClaims {
  long WRITER = 104;
  DeliveryGuarantee AT_MOST_ONCE = new DeliveryGuarantee.AtMostOnce();

  @Test
  default void recordNeverMovesAMessageBackwards() {
    MessageScene scene = publishedScene(1);
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
    MessageScene scene = publishedScene(2);

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
  default void finishedMessagesAreNotHandedOutAgain() {
    MessageScene scene = publishedScene(4);
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
    MessageScene scene = publishedScene(2);

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
    MessageScene scene = publishedScene(1);
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
    MessageScene scene = publishedScene(2);
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
    MessageScene scene = publishedScene(1);
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
    MessageScene scene = publishedScene(1);
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
      MessageScene scene = publishedScene(1);
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
    MessageScene scene = publishedScene(1);
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
    MessageScene scene = publishedScene(1);
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
    MessageScene scene = publishedScene(2);
    assertThat(handOver(scene, new DeliveryGuarantee.AtMostOnce(), 0, 1)).hasSize(2);
    record(scene, 0, MessageState.UNKNOWN);
    assertThat(found(scene, 0).state()).isEqualTo(MessageState.UNKNOWN);

    assertThat(report(scene, 1, MessageState.DELIVERED)).isEqualTo(ReceiptResult.RECORDED);
    assertThat(reopened(scene, 0, 1)).containsExactly(id(0));
    assertThat(found(scene, 0).state()).isEqualTo(MessageState.ACCEPTED);
    assertThat(found(scene, 1).state()).isEqualTo(MessageState.DELIVERED);
  }

  private static List<HandOver> handOver(
      MessageScene scene, DeliveryGuarantee guarantee, int... messages) {
    List<Attempt> attempts =
        IntStream.of(messages).mapToObj(MessageScene::id).map(Attempt::of).toList();
    return scene.node.log().handOver(attempts, "p", guarantee);
  }

  private static HandOver handOver(MessageScene scene, Attempt attempt) {
    return scene.node.log().handOver(List.of(attempt), "p", AT_MOST_ONCE).getFirst();
  }

  @Test
  default void receiptIsForTheNewestMessageWithItsId() {
    MessageScene scene = publishedScene(1);
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
    MessageScene scene = publishedScene(1);
    recordParts(scene, 0, "a", "b", "c");

    assertThat(receipt(scene, "p", "c", MessageState.DELIVERED)).isTrue();
    assertThat(receipt(scene, "p", "a", MessageState.DELIVERED)).isTrue();
    assertThat(receipt(scene, "p", "a", MessageState.DELIVERED)).isTrue();
    assertThat(receipt(scene, "p", "d", MessageState.DELIVERED)).isFalse();
    assertThat(found(scene, 0).state()).isEqualTo(MessageState.SENT);

    assertThat(receipt(scene, "p", "b", MessageState.DELIVERED)).isTrue();
    assertThat(found(scene, 0).state()).isEqualTo(MessageState.DELIVERED);
  }

  @Test
  default void messageHasFailedIfOneOfItsPartsHas() {
    MessageScene scene = publishedScene(2);
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

  private static void recordParts(MessageScene scene, int message, String... ids) {
    scene
        .node
        .log()
        .record(
            List.of(
                new Delivery(
                    id(message),
                    MessageState.SENT,
                    scene.clock.instant(),
                    "p",
                    List.of(ids),
                    Optional.empty())));
  }

  @Test
  default void failedMessageCanBeHandedOutOnceMore() {
    MessageScene scene = publishedScene(3);
    record(scene, 0, MessageState.FAILED);
    record(scene, 1, MessageState.SENT);

    assertThat(reopened(scene, 0, 1, 2, 9)).containsExactly(id(0));

    assertThat(found(scene, 0).state()).isEqualTo(MessageState.ACCEPTED);
    assertThat(found(scene, 0).reason()).isEmpty();
    record(scene, 0, MessageState.DELIVERED);
    assertThat(found(scene, 0).state()).isEqualTo(MessageState.DELIVERED);
    assertThat(scene.count(WRITER)).isEqualTo(3);
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

  /** Otherwise a node or a provider with a wrong clock decides how long a message is kept. */
  @Test
  default void receiptChangesAMessageAtTheTimeOfTheStore() {
    MessageScene scene = publishedScene(2);
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
    MessageScene scene = publishedScene(3);
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
    MessageScene scene = publishedScene(1);
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

  /** A copy of a letter about the first failure must not send it after the second. */
  @Test
  default void messageThatHasFailedAgainSinceIsNotHandedOut() {
    MessageScene scene = publishedScene(1);
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
    MessageScene scene = publishedScene(2);
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

  /** Its letter was written, and then the sender was killed. */
  @Test
  default void messageIsReopenedByTheAttemptThatItIsIn() {
    MessageScene scene = publishedScene(2);
    Attempt attempt = Attempt.of(id(0));
    Attempt taken = Attempt.of(id(1));
    assertThat(handOver(scene, attempt)).isEqualTo(new HandOver.Begun());
    assertThat(handOver(scene, taken)).isEqualTo(new HandOver.Begun());
    record(scene, 1, MessageState.SENT);

    assertThat(scene.node.log().reopen(attempt)).isTrue();
    assertThat(scene.node.log().reopen(taken)).isFalse();
    assertThat(found(scene, 1).state()).isEqualTo(MessageState.SENT);
  }

  @Test
  default void oldMessagesThatHaveEndedAreRemovedWithTheirKeys() {
    MessageScene scene = publishedScene(3);
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
    MessageScene scene = publishedScene(1);
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
    MessageScene scene = publishedScene(1);
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

  private MessageScene publishedScene(int messages) {
    MessageScene scene = messageScene();
    scene.limit(WRITER, 100);
    for (int i = 0; i < messages; i++) {
      scene.accept(request(i, WRITER));
      scene.node.ledger().published(List.of(id(i)));
    }
    return scene;
  }

  private static void record(MessageScene scene, int message, MessageState state) {
    scene.node.log().record(List.of(delivery(scene, message, state)));
  }

  private static Delivery delivery(MessageScene scene, int message, MessageState state) {
    return new Delivery(
        id(message),
        state,
        scene.clock.instant(),
        "p",
        state == MessageState.SENT ? List.of("same") : List.of(),
        state == MessageState.FAILED ? Optional.of("no such number") : Optional.empty());
  }

  private static boolean receipt(
      MessageScene scene, String provider, String providerId, MessageState state) {
    return scene.otherNode.log().receipt(provider, providerId, state, scene.clock.instant());
  }

  private static ReceiptResult report(MessageScene scene, int message, MessageState state) {
    return scene.otherNode.log().receipt(delivery(scene, message, state));
  }

  private static Set<UUID> reopened(MessageScene scene, int... messages) {
    List<UUID> ids = IntStream.of(messages).mapToObj(MessageScene::id).toList();
    return scene.node.log().reopen(ids, scene.clock.instant());
  }

  private static MessageRecord found(MessageScene scene, int message) {
    return scene.otherNode.log().find(id(message)).orElseThrow();
  }
}
