package dev.weir.notifications.kit;

import static dev.weir.notifications.kit.MessageScene.id;
import static dev.weir.notifications.kit.MessageScene.message;
import static dev.weir.notifications.kit.MessageScene.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.MessageRecord;
import dev.weir.notifications.messages.MessageState;
import dev.weir.notifications.messages.SendLedger.Claimed;
import dev.weir.notifications.messages.SendLedger.Unpublishable;
import dev.weir.notifications.messages.SendLedger.Withdrawn;
import dev.weir.notifications.messages.SendResult;
import dev.weir.notifications.messages.UserLimit;
import dev.weir.slots.Calendar;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Claims about the outbox: what was counted and may not have been published. */
interface OutboxClaims extends MessageClaims {
  long OWNER = 102;
  Duration CLAIM = Duration.ofSeconds(10);

  @Test
  default void withdrawnMessageGivesItsPlaceBackOnce() {
    MessageScene scene = messageScene();
    scene.limit(OWNER, 1);
    scene.accept(request(0, OWNER, "k"));

    List<Withdrawn> withdrawn = scene.otherNode.ledger().withdraw(List.of(id(0), id(0), id(9)));

    assertThat(withdrawn).extracting(Withdrawn::message).containsExactly(id(0));
    assertThat(withdrawn.getFirst().state())
        .isEqualTo(scene.node.limits().find(OWNER).orElseThrow());
    assertThat(scene.node.ledger().withdraw(List.of(id(0)))).isEmpty();
    assertThat(scene.count(OWNER)).isZero();
    assertThat(scene.node.log().find(id(0))).isEmpty();
    // The key is free again as well.
    assertThat(scene.place(request(1, OWNER, "k"))).isInstanceOf(SendResult.Accepted.class);
  }

  @Test
  default void publishedMessageIsNotWithdrawn() {
    MessageScene scene = messageScene();
    scene.limit(OWNER, 1);
    scene.accept(request(0, OWNER));
    scene.otherNode.ledger().published(List.of(id(0), id(9)));

    assertThat(scene.node.ledger().withdraw(List.of(id(0)))).isEmpty();
    assertThat(scene.count(OWNER)).isEqualTo(1);
    assertThat(claim(scene, 0)).isEmpty();
  }

  @Test
  default void messageOfASecondCallerIsNotWithdrawn() {
    MessageScene scene = messageScene();
    scene.limit(OWNER, 5);
    scene.accept(request(0, OWNER, "k"));
    scene.accept(request(1, OWNER));
    scene.place(request(2, OWNER, "k"));

    assertThat(scene.node.ledger().withdraw(List.of(id(0), id(1))))
        .extracting(Withdrawn::message)
        .containsExactly(id(1));
    assertThat(scene.count(OWNER)).isEqualTo(1);
    assertThat(claim(scene, 0)).containsExactly(message(0, OWNER));
    assertThat(scene.node.ledger().withdraw(List.of(id(0)))).isEmpty();
  }

  @Test
  default void claimedMessageIsNotWithdrawnEvenWhenTheClaimHasEnded() {
    MessageScene scene = messageScene();
    scene.limit(OWNER, 5);
    scene.accept(request(0, OWNER));
    assertThat(claim(scene, 0)).hasSize(1);
    scene.moveSeconds(10);

    assertThat(scene.node.ledger().withdraw(List.of(id(0)))).isEmpty();
    assertThat(scene.count(OWNER)).isEqualTo(1);
  }

  @Test
  default void claimsAreOldestFirstOfAMinimumAgeAndLastForTheirTime() {
    MessageScene scene = messageScene();
    scene.limit(OWNER, 9);
    scene.accept(request(3, OWNER));
    scene.moveSeconds(1);
    scene.accept(request(1, OWNER));
    scene.moveSeconds(1);
    scene.accept(request(2, OWNER));

    assertThat(claim(scene, 3)).isEmpty();
    assertThat(claim(scene, 1)).containsExactly(message(3, OWNER), message(1, OWNER));
    assertThat(claim(scene, 1)).isEmpty();
    scene.moveSeconds(9);
    assertThat(claim(scene, 1)).containsExactly(message(2, OWNER));
    scene.moveSeconds(1);
    assertThat(scene.node.ledger().claimUnpublished(Duration.ZERO, CLAIM, 1))
        .containsExactly(new Claimed(message(3, OWNER), 1));
  }

  /** A place of an earlier window, or of an earlier configuration, was given back with it. */
  @Test
  default void placeOfAnEarlierWindowOrConfigurationIsNotGivenBackTwice() {
    MessageScene scene = messageScene();
    scene.limit(OWNER, 2);
    scene.accept(request(0, OWNER));
    scene.moveSeconds(60);
    scene.accept(request(1, OWNER));
    assertThat(scene.node.ledger().withdraw(List.of(id(0)))).hasSize(1);
    assertThat(scene.count(OWNER)).isEqualTo(1);

    scene.limit(OWNER, 2);
    scene.accept(request(2, OWNER));
    assertThat(scene.node.ledger().withdraw(List.of(id(1)))).hasSize(1);
    assertThat(scene.count(OWNER)).isEqualTo(1);
  }

  @Test
  default void clockThatStepsBackNeitherGivesBackTwiceNorLosesAPlace() {
    MessageScene scene = messageScene();
    scene.limit(OWNER, 3);
    scene.accept(request(0, OWNER));
    scene.moveSeconds(55);
    scene.accept(request(1, OWNER));
    scene.moveSeconds(5);
    scene.accept(request(2, OWNER));
    scene.node.ledger().withdraw(List.of(id(2)));
    scene.moveSeconds(-30);
    // A window begins. Message 1 was counted in the one before, at a later time of the clock.
    scene.accept(request(3, OWNER));
    scene.node.ledger().withdraw(List.of(id(1)));
    assertThat(scene.count(OWNER)).isEqualTo(1);

    scene.moveSeconds(-10);
    scene.accept(request(4, OWNER));
    scene.node.ledger().withdraw(List.of(id(4)));
    assertThat(scene.count(OWNER)).isEqualTo(1);
  }

  /** It no longer waits as long as the clock was ahead. */
  @Test
  default void clockThatWasFarAheadDelaysNoMessageForLong() {
    for (UserLimit.Algorithm algorithm : UserLimit.Algorithm.values()) {
      MessageScene scene = messageScene();
      UserLimit limit =
          new UserLimit(
              OWNER,
              2,
              Duration.ofMinutes(1),
              algorithm,
              UserLimit.CostBy.MESSAGE,
              Calendar.ALWAYS);
      scene.node.limits().configure(limit);
      scene.moveSeconds(7_200);
      scene.accept(request(0, OWNER));
      scene.accept(request(1, OWNER));
      scene.moveSeconds(-7_200);
      assertThat(scene.count(OWNER)).isEqualTo(2);

      long waitMicros = waitMicros(scene.place(request(2, OWNER)));

      // What was used under the wrong clock counts as of now, once: a later refusal does not
      // begin again.
      assertThat(waitMicros).isBetween(1L, 2 * 60_000_000L);
      scene.moveSeconds(1);
      assertThat(waitMicros(scene.place(request(3, OWNER)))).isEqualTo(waitMicros - 1_000_000);
      scene.clock.move(Micros.duration(waitMicros - 1_000_000));
      scene.accept(request(4, OWNER));
    }
  }

  /** The window that began with it is empty, but lies in the future. */
  @Test
  default void messageWithdrawnAfterAClockWasFarAheadLeavesNoWindowBehind() {
    for (UserLimit.Algorithm algorithm : UserLimit.Algorithm.values()) {
      MessageScene scene = messageScene();
      UserLimit limit =
          new UserLimit(
              OWNER,
              1,
              Duration.ofMinutes(1),
              algorithm,
              UserLimit.CostBy.MESSAGE,
              Calendar.ALWAYS);
      scene.node.limits().configure(limit);
      scene.moveSeconds(7_200);
      scene.accept(request(0, OWNER));
      scene.node.ledger().withdraw(List.of(id(0)));
      scene.moveSeconds(-7_200);
      scene.accept(request(1, OWNER));

      assertThat(waitMicros(scene.place(request(2, OWNER)))).isBetween(1L, 2 * 60_000_000L);
    }
  }

  /** Its time lies in a window of others that begins much later. */
  @Test
  default void placeTakenWhileTheClockWasFarAheadIsNotGivenBackLater() {
    MessageScene scene = messageScene();
    scene.limit(OWNER, 2);
    scene.moveSeconds(7_200);
    scene.accept(request(0, OWNER));
    scene.accept(request(1, OWNER));
    scene.moveSeconds(-7_200);
    assertThat(scene.place(request(2, OWNER))).isInstanceOf(SendResult.Limited.class);

    assertThat(scene.node.ledger().withdraw(List.of(id(0)))).hasSize(1);
    assertThat(scene.count(OWNER)).isEqualTo(2);
    scene.moveSeconds(7_190);
    scene.accept(request(3, OWNER));
    assertThat(scene.node.ledger().withdraw(List.of(id(1)))).hasSize(1);

    assertThat(scene.count(OWNER)).isEqualTo(1);
  }

  private static long waitMicros(SendResult result) {
    return ((SendResult.Limited) result).decision().retryAfterMicros();
  }

  @Test
  default void messageThatCanNeverBePublishedHasFailedAndGivesItsPlaceBackOnce() {
    MessageScene scene = messageScene();
    scene.limit(OWNER, 1);
    scene.accept(request(0, OWNER, "k"));
    // Another node has claimed it, and has found out.
    assertThat(claim(scene, 0)).hasSize(1);
    List<Unpublishable> tooLarge = List.of(unpublishable(0), unpublishable(0), unpublishable(9));

    List<Withdrawn> failed = scene.otherNode.ledger().fail(tooLarge);

    assertThat(failed).extracting(Withdrawn::message).containsExactly(id(0));
    assertThat(failed.getFirst().state()).isEqualTo(scene.node.limits().find(OWNER).orElseThrow());
    assertThat(scene.node.ledger().fail(tooLarge)).isEmpty();
    assertThat(scene.count(OWNER)).isZero();
    MessageRecord record = scene.node.log().find(id(0)).orElseThrow();
    assertThat(record.state()).isEqualTo(MessageState.FAILED);
    assertThat(record.reason()).contains("too large");
    assertThat(scene.outbox(scene.node)).isEmpty();
    // It is on no topic, so there is nothing to try again; a repeated request is a new one.
    assertThat(scene.node.log().reopen(List.of(id(0)), scene.clock.instant())).isEmpty();
    assertThat(scene.place(request(1, OWNER, "k"))).isInstanceOf(SendResult.Accepted.class);
  }

  /** An earlier attempt has published it, and the sender has it. */
  @Test
  default void messageThatWasDeliveredDoesNotFail() {
    MessageScene scene = messageScene();
    scene.limit(OWNER, 1);
    scene.accept(request(0, OWNER));
    scene.run(scene.node, new MessageStep.Deliver(List.of(0), MessageState.SENT));

    assertThat(scene.node.ledger().fail(List.of(unpublishable(0)))).isEmpty();

    assertThat(scene.count(OWNER)).isEqualTo(1);
    assertThat(scene.node.log().find(id(0)).orElseThrow().state()).isEqualTo(MessageState.SENT);
    assertThat(scene.outbox(scene.node)).isEmpty();
  }

  private static Unpublishable unpublishable(int message) {
    return new Unpublishable(id(message), "too large");
  }

  private static List<Message> claim(MessageScene scene, int minAgeSeconds) {
    return scene
        .otherNode
        .ledger()
        .claimUnpublished(Duration.ofSeconds(minAgeSeconds), CLAIM, 9)
        .stream()
        .map(Claimed::message)
        .toList();
  }
}
