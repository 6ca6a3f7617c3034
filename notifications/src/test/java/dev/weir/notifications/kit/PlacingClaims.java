package dev.weir.notifications.kit;

import static dev.weir.notifications.kit.MessageScene.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.Decision;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.MessageState;
import dev.weir.notifications.messages.SendRequest;
import dev.weir.notifications.messages.SendRequest.WhenClosed;
import dev.weir.notifications.messages.SendResult;
import dev.weir.notifications.messages.UserLimit;
import dev.weir.slots.Calendar;
import dev.weir.store.tck.internal.NastyNames;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Claims about counting and idempotency keys. */
interface PlacingClaims extends MessageClaims {
  long SENDER = 101;

  @Property(tries = 40, seed = "20260617", edgeCases = EdgeCasesMode.MIXIN)
  default void acceptsUpToTheLimitAndRefusalsLeaveTheCount(
      @ForAll @IntRange(min = 1, max = 20) int limit,
      @ForAll @IntRange(min = 1, max = 8) int more) {
    MessageScene scene = messageScene();
    scene.limit(SENDER, limit);
    for (int i = 0; i < limit; i++) {
      SendResult.Accepted accepted = scene.accept(request(i, SENDER));
      assertThat(accepted.decision().remaining()).isEqualTo(limit - i - 1);
      assertThat(scene.count(SENDER)).isEqualTo(i + 1);
    }
    for (int i = 0; i < more; i++) {
      assertThat(scene.place(request(100 + i, SENDER)))
          .isInstanceOfSatisfying(
              SendResult.Limited.class,
              limited ->
                  assertThat(limited.decision())
                      .isEqualTo(new Decision.Refused(0, 60_000_000, 60_000_000)));
      assertThat(scene.count(SENDER)).isEqualTo(limit);
      assertThat(scene.node.log().find(MessageScene.id(100 + i))).isEmpty();
    }
  }

  @Property(tries = 40, seed = "20260618", edgeCases = EdgeCasesMode.MIXIN)
  default void elapsedWindowBeginsAgainWithTheNextMessage(
      @ForAll @IntRange(min = 1, max = 5) int limit,
      @ForAll @IntRange(min = 60, max = 100_000) int seconds) {
    MessageScene scene = messageScene();
    scene.limit(SENDER, limit);
    for (int i = 0; i < limit; i++) {
      scene.accept(request(i, SENDER));
    }
    scene.clock.move(Duration.ofSeconds(seconds));

    assertThat(scene.count(SENDER)).isZero();
    SendResult.Accepted accepted = scene.accept(request(50, SENDER));

    assertThat(accepted.state().currentCount()).isEqualTo(1);
    assertThat(accepted.state().usage().atMicros()).isEqualTo(accepted.state().atMicros());
  }

  @Test
  default void batchIsDecidedInOrder() {
    MessageScene scene = messageScene();
    scene.limit(SENDER, 2);
    scene.limit(5, 1);

    List<SendResult.Placing> results =
        scene
            .node
            .ledger()
            .place(
                List.of(
                    request(0, SENDER),
                    request(1, 5),
                    request(2, 6),
                    request(3, SENDER, "k"),
                    request(4, SENDER, "k"),
                    request(5, SENDER)));

    assertThat(results.stream().map(Object::getClass).toList())
        .isEqualTo(
            List.of(
                SendResult.Accepted.class,
                SendResult.Accepted.class,
                SendResult.UnknownUser.class,
                SendResult.Accepted.class,
                SendResult.Repeated.class,
                SendResult.Limited.class));
    assertThat(scene.count(SENDER)).isEqualTo(2);
  }

  @Test
  default void emptyBatchDoesNothing() {
    assertThat(messageScene().node.ledger().place(List.of())).isEmpty();
  }

  @Test
  default void repeatedKeyTakesNothingAndFindsTheFirstMessage() {
    MessageScene scene = messageScene();
    scene.limit(SENDER, 1);
    Message first = scene.accept(request(0, SENDER, "k")).message();

    SendResult again = scene.otherNode.ledger().place(List.of(request(1, SENDER, "k"))).getFirst();
    assertThat(again)
        .isEqualTo(
            new SendResult.Repeated(first, false, scene.node.limits().find(SENDER).orElseThrow()));

    scene.node.ledger().published(List.of(first.id()));
    assertThat(((SendResult.Repeated) scene.place(request(2, SENDER, "k"))).isPublished()).isTrue();
    assertThat(scene.count(SENDER)).isEqualTo(1);
  }

  @Test
  default void keyIsBoundToTheTextAndBelongsToAUser() {
    MessageScene scene = messageScene();
    scene.limit(SENDER, 5);
    scene.limit(5, 5);
    scene.accept(request(0, SENDER, "k"));
    SendRequest otherText =
        new SendRequest(
            new Message(MessageScene.id(1), SENDER, "Goodbye", 1),
            Optional.of("k"),
            WhenClosed.REFUSE);

    assertThat(scene.place(otherText)).isEqualTo(new SendResult.KeyReused());
    assertThat(scene.place(request(2, 5, "k"))).isInstanceOf(SendResult.Accepted.class);
    assertThat(scene.count(SENDER)).isEqualTo(1);
  }

  @Test
  default void refusedRequestIsNotRemembered() {
    MessageScene scene = messageScene();
    scene.limit(SENDER, 1);
    scene.accept(request(0, SENDER));
    assertThat(scene.place(request(1, SENDER, "k"))).isInstanceOf(SendResult.Limited.class);
    scene.moveSeconds(60);

    assertThat(scene.place(request(2, SENDER, "k"))).isInstanceOf(SendResult.Accepted.class);
  }

  @Test
  default void repeatedIdTakesNothingEvenIfTheLimitIsUsedUp() {
    MessageScene scene = messageScene();
    scene.limit(SENDER, 2);
    Message first = scene.accept(request(0, SENDER)).message();

    for (int i = 0; i < 2; i++) {
      assertThat(scene.place(request(0, SENDER)))
          .isInstanceOfSatisfying(
              SendResult.Repeated.class,
              repeated -> assertThat(repeated.message()).isEqualTo(first));
      assertThat(scene.count(SENDER)).isEqualTo(1 + i);
      scene.place(request(1, SENDER));
    }
    assertThat(scene.place(request(2, SENDER))).isInstanceOf(SendResult.Limited.class);
  }

  @Test
  default void keysAndTextsAreKeptExactly() {
    MessageScene scene = messageScene();
    scene.limit(SENDER, 1_000);
    for (int i = 0; i < NastyNames.ALL.size(); i++) {
      String name = NastyNames.ALL.get(i);
      Message message = new Message(MessageScene.id(i), SENDER, name, 1);
      SendRequest request = new SendRequest(message, Optional.of(name), WhenClosed.REFUSE);
      assertThat(scene.place(request)).as(name).isInstanceOf(SendResult.Accepted.class);
      assertThat(scene.otherNode.log().find(message.id()).orElseThrow().message())
          .isEqualTo(message);
      assertThat(scene.place(request)).as(name).isInstanceOf(SendResult.Repeated.class);
    }
  }

  @Test
  default void messageCostsItsParts() {
    MessageScene scene = messageScene();
    scene
        .node
        .limits()
        .configure(
            new UserLimit(
                SENDER,
                5,
                Duration.ofMinutes(1),
                UserLimit.Algorithm.FIXED_WINDOW,
                UserLimit.CostBy.PARTS,
                Calendar.ALWAYS));

    assertThat(scene.place(parts(0, 3))).isInstanceOf(SendResult.Accepted.class);
    assertThat(scene.count(SENDER)).isEqualTo(3);
    assertThat(scene.place(parts(1, 3))).isInstanceOf(SendResult.Limited.class);
    assertThat(scene.place(parts(2, 6)))
        .isInstanceOfSatisfying(
            SendResult.TooExpensive.class, result -> assertThat(result.cost()).isEqualTo(6));
    assertThat(scene.place(parts(3, 2))).isInstanceOf(SendResult.Accepted.class);
    scene.node.ledger().withdraw(List.of(MessageScene.id(0)));
    assertThat(scene.count(SENDER)).isEqualTo(2);
  }

  private static SendRequest parts(int message, int parts) {
    return new SendRequest(
        new Message(MessageScene.id(message), SENDER, "long", parts),
        Optional.empty(),
        WhenClosed.REFUSE);
  }

  @Test
  default void closedUserTakesNothingAndOpensInTime() {
    MessageScene scene = messageScene();
    scene
        .node
        .limits()
        .configure(
            new UserLimit(
                SENDER,
                5,
                Duration.ofMinutes(1),
                UserLimit.Algorithm.FIXED_WINDOW,
                UserLimit.CostBy.MESSAGE,
                MessageScene.firstMinutesOfEachHour()));
    scene.accept(request(0, SENDER));
    scene.moveSeconds(120);

    assertThat(scene.place(request(1, SENDER)))
        .isInstanceOfSatisfying(
            SendResult.Closed.class,
            closed ->
                assertThat(closed.opensAtMicros() - closed.state().atMicros())
                    .isEqualTo(58 * 60_000_000L));
    scene.moveSeconds(58 * 60);
    assertThat(scene.place(request(1, SENDER))).isInstanceOf(SendResult.Accepted.class);
    assertThat(scene.count(SENDER)).isEqualTo(1);
  }

  @Test
  default void acceptedMessageIsInTheLog() {
    MessageScene scene = messageScene();
    scene.limit(SENDER, 5);
    scene.accept(request(0, SENDER));

    assertThat(scene.otherNode.log().find(MessageScene.id(0)))
        .hasValueSatisfying(
            record -> {
              assertThat(record.state()).isEqualTo(MessageState.ACCEPTED);
              assertThat(record.createdAt()).isEqualTo(scene.clock.instant());
              assertThat(record.dueAt()).isEmpty();
            });
  }
}
