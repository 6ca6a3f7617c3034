package dev.weir.notifications.kit;

import static dev.weir.notifications.kit.MessageScene.id;
import static dev.weir.notifications.kit.MessageScene.message;
import static dev.weir.notifications.kit.MessageScene.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.notifications.messages.DeferredMessages.Cancelled;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.MessageRecord;
import dev.weir.notifications.messages.MessageState;
import dev.weir.notifications.messages.SendLedger.Claimed;
import dev.weir.notifications.messages.SendLedger.Unpublishable;
import dev.weir.notifications.messages.SendResult;
import dev.weir.notifications.messages.UserLimit;
import dev.weir.store.tck.internal.Crowd;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Claims about deferred messages. */
interface DeferralClaims extends MessageClaims {
  long SLEEPER = 103;

  @Test
  default void deferredMessageIsCountedWhenItIsReleased() {
    MessageScene scene = messageScene();
    scene.limit(SLEEPER, 5);
    Instant dueAt = scene.clock.instant().plusSeconds(30);

    SendResult result = scene.node.deferred().defer(request(0, SLEEPER), dueAt);

    assertThat(((SendResult.Deferred) result).record().dueAt()).contains(dueAt);
    assertThat(scene.count(SLEEPER)).isZero();
    assertThat(scene.otherNode.deferred().due(9)).isEmpty();
    assertThat(release(scene, 0)).isEmpty();
    scene.moveSeconds(30);
    assertThat(scene.otherNode.deferred().due(9))
        .extracting(MessageRecord::message)
        .containsExactly(message(0, SLEEPER));
    assertThat(release(scene, 0)).containsExactly(id(0));
    assertThat(release(scene, 0)).isEmpty();
    assertThat(scene.count(SLEEPER)).isEqualTo(1);
    assertThat(state(scene, 0)).isEqualTo(MessageState.ACCEPTED);
    assertThat(scene.node.ledger().claimUnpublished(Duration.ZERO, Duration.ZERO, 9))
        .containsExactly(new Claimed(message(0, SLEEPER), 1));
  }

  /** Its caller was told that it is kept. */
  @Test
  default void releasedMessageIsNotWithdrawn() {
    MessageScene scene = messageScene();
    scene.limit(SLEEPER, 5);
    defer(scene, 0);
    release(scene, 0);

    assertThat(scene.node.ledger().withdraw(List.of(id(0)))).isEmpty();
    assertThat(scene.count(SLEEPER)).isEqualTo(1);
  }

  @Test
  default void dueMessagesAreOldestFirst() {
    MessageScene scene = messageScene();
    scene.limit(SLEEPER, 5);
    Instant now = scene.clock.instant();
    scene.node.deferred().defer(request(1, SLEEPER), now.minusSeconds(1));
    scene.node.deferred().defer(request(0, SLEEPER), now);
    scene.node.deferred().defer(request(2, SLEEPER), now.minusSeconds(2));

    assertThat(scene.node.deferred().due(2))
        .extracting(record -> record.message().id())
        .containsExactly(id(2), id(1));
  }

  @Test
  default void messageWithoutAPlaceWaitsUntilThereMayBeOne() {
    MessageScene scene = messageScene();
    scene.limit(SLEEPER, 1);
    scene.accept(request(0, SLEEPER));
    scene.moveSeconds(10);
    defer(scene, 1);

    assertThat(release(scene, 1)).isEmpty();

    assertThat(state(scene, 1)).isEqualTo(MessageState.DEFERRED);
    scene.moveSeconds(49);
    assertThat(scene.node.deferred().due(9)).isEmpty();
    scene.moveSeconds(1);
    assertThat(scene.node.deferred().due(9)).hasSize(1);
    assertThat(release(scene, 1)).containsExactly(id(1));
  }

  /** Otherwise it waits for a window of the limit that was replaced, which may last for a year. */
  @Test
  default void messageWithoutAPlaceIsDueAgainWhenTheLimitIsChanged() {
    MessageScene scene = sceneWithoutAPlace();

    scene.limit(SLEEPER, 2);

    assertThat(scene.otherNode.deferred().due(9)).hasSize(1);
    assertThat(release(scene, 1)).containsExactly(id(1));
  }

  @Test
  default void messageWithoutAPlaceIsDueAgainWhenOneIsGivenBack() {
    MessageScene withdrawn = sceneWithoutAPlace();
    assertThat(withdrawn.node.ledger().withdraw(List.of(id(0)))).hasSize(1);
    assertThat(withdrawn.otherNode.deferred().due(9)).hasSize(1);
    assertThat(release(withdrawn, 1)).containsExactly(id(1));

    MessageScene failed = sceneWithoutAPlace();
    assertThat(failed.node.ledger().fail(List.of(new Unpublishable(id(0), "too large"))))
        .hasSize(1);
    assertThat(failed.otherNode.deferred().due(9)).hasSize(1);
    assertThat(release(failed, 1)).containsExactly(id(1));
  }

  /** Returns a scene in which message 0 has the only place of a user, and message 1 waits. */
  private MessageScene sceneWithoutAPlace() {
    MessageScene scene = messageScene();
    scene.limit(SLEEPER, 1);
    scene.accept(request(0, SLEEPER));
    defer(scene, 1);
    assertThat(release(scene, 1)).isEmpty();
    assertThat(scene.otherNode.deferred().due(9)).isEmpty();
    return scene;
  }

  @Test
  default void messageOfAClosedUserWaitsForTheHours() {
    MessageScene scene = messageScene();
    scene
        .node
        .limits()
        .configure(
            new UserLimit(
                SLEEPER,
                5,
                Duration.ofMinutes(1),
                UserLimit.Algorithm.FIXED_WINDOW,
                UserLimit.CostBy.MESSAGE,
                MessageScene.firstMinutesOfEachHour()));
    scene.moveSeconds(600);
    defer(scene, 0);

    assertThat(release(scene, 0)).isEmpty();

    scene.moveSeconds(50 * 60 - 1);
    assertThat(scene.node.deferred().due(9)).isEmpty();
    scene.moveSeconds(1);
    assertThat(release(scene, 0)).containsExactly(id(0));
  }

  @Test
  default void messageThatCanNeverBeSentHasFailed() {
    MessageScene scene = messageScene();
    scene.limit(SLEEPER, 5);
    scene
        .node
        .deferred()
        .defer(MessageScene.request(new MessageStep.Ask(0, 103, 0, 3, -1)), scene.clock.instant());
    UserLimit two = UserLimit.of(SLEEPER, 2, Duration.ofMinutes(1));
    scene
        .node
        .limits()
        .configure(
            new UserLimit(
                SLEEPER,
                2,
                two.timeWindow(),
                two.algorithm(),
                UserLimit.CostBy.PARTS,
                two.openHours()));

    assertThat(release(scene, 0)).isEmpty();

    assertThat(state(scene, 0)).isEqualTo(MessageState.FAILED);
    assertThat(scene.node.log().find(id(0)).orElseThrow().reason()).isPresent();
    assertThat(scene.node.deferred().due(9)).isEmpty();
    assertThat(scene.node.log().reopen(List.of(id(0)), scene.clock.instant())).isEmpty();
  }

  @Test
  default void keyOfADeferredMessageFindsItUntilItIsReleased() {
    MessageScene scene = messageScene();
    scene.limit(SLEEPER, 5);
    Instant now = scene.clock.instant();
    SendResult first = scene.node.deferred().defer(request(0, SLEEPER, "k"), now);

    assertThat(scene.otherNode.deferred().defer(request(1, SLEEPER, "k"), now.plusSeconds(9)))
        .isEqualTo(first);
    assertThat(scene.place(request(2, SLEEPER, "k"))).isEqualTo(first);
    assertThat(scene.node.deferred().defer(request(3, 99), now))
        .isEqualTo(new SendResult.UnknownUser(99));
    release(scene, 0);
    assertThat(scene.place(request(4, SLEEPER, "k")))
        .isInstanceOfSatisfying(
            SendResult.Repeated.class,
            repeated -> {
              assertThat(repeated.message().id()).isEqualTo(id(0));
              assertThat(repeated.isPublished()).isFalse();
            });
  }

  @Test
  default void cancelledMessageIsNeverReleased() {
    MessageScene scene = messageScene();
    scene.limit(SLEEPER, 5);
    defer(scene, 0);
    defer(scene, 1);
    release(scene, 1);

    assertThat(scene.node.deferred().cancel(id(0))).isEqualTo(Cancelled.DONE);
    assertThat(scene.otherNode.deferred().cancel(id(0))).isEqualTo(Cancelled.DONE);
    assertThat(scene.node.deferred().cancel(id(1))).isEqualTo(Cancelled.TOO_LATE);
    assertThat(scene.node.deferred().cancel(id(2))).isEqualTo(Cancelled.UNKNOWN);
    assertThat(release(scene, 0)).isEmpty();
    assertThat(state(scene, 0)).isEqualTo(MessageState.CANCELLED);
    assertThat(scene.node.log().finished(List.of(id(0), id(1)))).containsExactly(id(0));
  }

  @Test
  default void messageIsReleasedOnceByConcurrentNodes() {
    MessageScene scene = messageScene();
    scene.limit(SLEEPER, 50);
    List<UUID> all = IntStream.range(0, 20).mapToObj(MessageScene::id).toList();
    for (int i = 0; i < 20; i++) {
      defer(scene, i);
    }

    List<UUID> released =
        Crowd.concurrently(8, caller -> scene.node(caller).deferred().release(all)).stream()
            .flatMap(List::stream)
            .map(SendResult.Accepted::message)
            .map(Message::id)
            .toList();

    assertThat(released).containsExactlyInAnyOrderElementsOf(all);
    assertThat(scene.count(SLEEPER)).isEqualTo(20);
  }

  private static void defer(MessageScene scene, int message) {
    scene.node.deferred().defer(request(message, SLEEPER), scene.clock.instant());
  }

  private static List<UUID> release(MessageScene scene, int message) {
    return scene.node.deferred().release(List.of(id(message))).stream()
        .map(accepted -> accepted.message().id())
        .toList();
  }

  private static MessageState state(MessageScene scene, int message) {
    return scene.otherNode.log().find(id(message)).orElseThrow().state();
  }
}
