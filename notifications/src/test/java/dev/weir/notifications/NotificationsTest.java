package dev.weir.notifications;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.notifications.ScriptedPublisher.Behaviour;
import dev.weir.notifications.kafka.KafkaCluster;
import dev.weir.notifications.kafka.MessageTopics;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.MessageLog;
import dev.weir.notifications.messages.MessageState;
import dev.weir.notifications.messages.SendRequest;
import dev.weir.notifications.messages.SendResult;
import dev.weir.notifications.messages.UserLimit;
import dev.weir.slots.Calendar;
import dev.weir.slots.OpeningHours;
import dev.weir.store.tck.internal.Await;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class NotificationsTest {
  /** Begins 20 hours after the clock of the stores, which starts on a Sunday at noon. */
  static final OpeningHours MONDAY_FROM_8 =
      new OpeningHours(
          ZoneOffset.UTC,
          Map.of(
              DayOfWeek.MONDAY,
              List.of(OpeningHours.Hours.of(LocalTime.of(8, 0), LocalTime.of(18, 0)))),
          Set.of());

  private final ScriptedPublisher broker = new ScriptedPublisher();
  private final SendScene scene = new SendScene(broker);

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void userWithoutLimitIsUnknown() {
    assertThat(scene.send(7, "hello")).isEqualTo(new SendResult.UnknownUser(7));
    assertThat(broker.topic()).isEmpty();
  }

  @Test
  void refusesInvalidTextsByName() {
    scene.limit(1, 10);
    assertThatThrownBy(() -> scene.send(1, " "))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("message must not be blank");
    assertThatThrownBy(() -> scene.send(1, "a\u0000b"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("U+0000");
    assertThatThrownBy(() -> scene.send(1, "x".repeat(1 << 16)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("parts");
    assertThat(scene.count(1)).isZero();
  }

  @Test
  void longMessageCostsItsParts() {
    var unused =
        scene.notifications.configure(
            new UserLimit(
                1,
                3,
                SendScene.WINDOW,
                UserLimit.Algorithm.FIXED_WINDOW,
                UserLimit.CostBy.PARTS,
                Calendar.ALWAYS));
    assertThat(scene.send(1, "a".repeat(161))).isInstanceOf(SendResult.Sent.class);
    assertThat(scene.count(1)).isEqualTo(2);
    assertThat(scene.send(1, "a".repeat(161))).isInstanceOf(SendResult.Limited.class);
    assertThat(scene.send(1, "a".repeat(154 * 4))).isInstanceOf(SendResult.TooExpensive.class);
  }

  @Test
  void requestWithKeyIsAnsweredWhileTheBrokerIsDown() {
    scene.limit(1, 10);
    SendResult.Sent first = (SendResult.Sent) scene.send(1, "hello", "key");
    Await.until(() -> scene.stores.outbox().isEmpty());
    broker.behave(Behaviour.REFUSES);
    assertThat(scene.send(1, "other")).isInstanceOf(SendResult.BrokerRefused.class);
    SendResult.Sent again = (SendResult.Sent) scene.send(1, "hello", "key");
    assertThat(again.message()).isEqualTo(first.message());
    assertThat(again.isRepeated()).isTrue();
    assertThat(scene.send(1, "bye", "key")).isEqualTo(new SendResult.KeyReused());
    assertThat(scene.count(1)).isEqualTo(1);
  }

  /** Otherwise its caller believes that the message is on its way. */
  @Test
  void repeatedKeyOfAFailedMessageSaysSo() {
    scene.limit(1, 10);
    SendResult.Sent first = (SendResult.Sent) scene.send(1, "hello", "key");
    scene.stores.record(
        List.of(
            new MessageLog.Delivery(
                first.message().id(),
                MessageState.FAILED,
                scene.stores.clock.instant(),
                "p",
                List.of(),
                Optional.of("no such number"))));
    assertThat(scene.send(1, "hello", "key"))
        .isInstanceOfSatisfying(
            SendResult.Failed.class,
            failed -> {
              assertThat(failed.record().message()).isEqualTo(first.message());
              assertThat(failed.record().state()).isEqualTo(MessageState.FAILED);
            });
    assertThat(scene.count(1)).isEqualTo(1);
  }

  @Test
  void requestsOfALockedUserWaitAsideUntilItIsFree() throws Exception {
    scene.limit(1, 10);
    scene.limit(2, 10);
    scene.stores.lock(1);
    List<FutureTask<SendResult.Answer>> waiting =
        IntStream.range(0, 5).mapToObj(i -> new FutureTask<>(() -> scene.send(1, "hi"))).toList();
    waiting.forEach(Thread.ofVirtual()::start);
    for (int i = 0; i < 5; i++) {
      assertThat(scene.send(2, "hello")).isInstanceOf(SendResult.Sent.class);
    }
    assertThat(waiting).noneMatch(FutureTask::isDone);
    scene.stores.unlock(1);
    for (FutureTask<SendResult.Answer> each : waiting) {
      assertThat(each.get()).isInstanceOf(SendResult.Sent.class);
    }
    assertThat(scene.count(1)).isEqualTo(5);
  }

  @Test
  void brokerThatIsDownCostsNoPlace() {
    scene.limit(1, 10);
    broker.behave(Behaviour.REFUSES);
    assertThat(scene.send(1, "hello")).isInstanceOf(SendResult.BrokerRefused.class);
    int places = scene.stores.places();
    assertThat(scene.send(1, "hello")).isInstanceOf(SendResult.BrokerRefused.class);
    assertThat(scene.stores.places()).isEqualTo(places);
  }

  @Test
  void unknownUserIsSaidToBeUnknownWhileTheBrokerIsDown() {
    scene.limit(1, 10);
    broker.behave(Behaviour.REFUSES);
    assertThat(scene.send(1, "hello")).isInstanceOf(SendResult.BrokerRefused.class);
    assertThat(scene.send(2, "hello")).isEqualTo(new SendResult.UnknownUser(2));
    assertThat(scene.send(2, "hello", "key")).isEqualTo(new SendResult.UnknownUser(2));
    assertThat(scene.send(1, "hello")).isInstanceOf(SendResult.BrokerRefused.class);
  }

  /** An embedded one takes longer than the send time-out on a slow machine. */
  @Test
  void brokerThatIsBeingStartedIsSaidToBe() {
    KafkaCluster starting =
        new KafkaCluster() {
          @Override
          public Optional<String> bootstrapServers(Duration maxWait) {
            return Optional.empty();
          }

          @Override
          public boolean isStarting() {
            return true;
          }

          @Override
          public Map<String, String> clientProperties() {
            return Map.of();
          }
        };
    try (KafkaPublisher publisher =
            new KafkaPublisher(starting, MessageTopics.DEFAULT, SendScene.SEND_TIMEOUT);
        SendScene slow = new SendScene(publisher)) {
      slow.limit(1, 10);
      for (int i = 0; i < 2; i++) {
        assertThat(slow.send(1, "hello"))
            .isInstanceOfSatisfying(
                SendResult.BrokerRefused.class,
                refused -> {
                  assertThat(refused.isStarting()).isTrue();
                  assertThat(refused.reason()).contains("is being started");
                });
      }
      assertThat(slow.count(1)).isZero();
    }
  }

  @Test
  void messageThatTheBrokerRejectsDoesNotStopOthers() {
    scene.limit(1, 10);
    broker.behave(Behaviour.REJECTS);
    assertThat(scene.send(1, "hello")).isInstanceOf(SendResult.BrokerRefused.class);
    broker.behave(Behaviour.TAKES);
    assertThat(scene.send(1, "hello")).isInstanceOf(SendResult.Sent.class);
    assertThat(scene.count(1)).isEqualTo(1);
  }

  @Test
  void unknownOutcomeBecomesKnownByTheKey() {
    scene.limit(1, 10);
    broker.behave(Behaviour.LOSES);
    SendResult.BrokerUnknown unknown = (SendResult.BrokerUnknown) scene.send(1, "hello", "key");
    broker.behave(Behaviour.TAKES);
    scene.republisher.run();
    SendResult.Sent sent = (SendResult.Sent) scene.send(1, "hello", "key");
    assertThat(sent.message().id()).isEqualTo(unknown.messageId());
    assertThat(scene.count(1)).isEqualTo(1);
  }

  @Test
  void databaseThatIsDownIsAnException() {
    scene.limit(1, 10);
    scene.stores.setDown(true);
    assertThatThrownBy(() -> scene.send(1, "hello"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("down");
    scene.stores.setDown(false);
    assertThat(scene.count(1)).isZero();
  }

  @Test
  void deferredMessageIsSentInTheHoursOfItsUser() {
    var unused =
        scene.notifications.configure(
            new UserLimit(
                1,
                1,
                SendScene.WINDOW,
                UserLimit.Algorithm.FIXED_WINDOW,
                UserLimit.CostBy.MESSAGE,
                MONDAY_FROM_8));
    assertThat(scene.send(1, "hello")).isInstanceOf(SendResult.Closed.class);
    SendResult.Deferred first = defer("one", "k1");
    SendResult.Deferred second = defer("two", "k2");
    assertThat(defer("one", "k1").record().message()).isEqualTo(first.record().message());
    scene.dispatch.run();
    assertThat(broker.topic()).isEmpty();
    scene.stores.clock.move(Duration.ofHours(20));
    scene.dispatch.run();
    assertThat(broker.topic()).containsExactly(first.record().message());
    scene.stores.clock.move(SendScene.WINDOW);
    scene.dispatch.run();
    assertThat(broker.ids())
        .containsExactlyInAnyOrder(first.record().message().id(), second.record().message().id());
    assertThat(scene.stores.state(second.record().message().id())).isEqualTo(MessageState.ACCEPTED);
  }

  @Test
  void backlogOfOneUserDoesNotDelayOthers() {
    for (long user = 1; user <= 2; user++) {
      var unused =
          scene.notifications.configure(
              new UserLimit(
                  user,
                  1,
                  SendScene.WINDOW,
                  UserLimit.Algorithm.FIXED_WINDOW,
                  UserLimit.CostBy.MESSAGE,
                  MONDAY_FROM_8));
    }
    for (int i = 0; i < 1_000; i++) {
      var unused = defer("backlog", "k" + i);
    }
    SendResult.Deferred other =
        (SendResult.Deferred)
            scene.notifications.send(2, "hello", Optional.empty(), SendRequest.WhenClosed.DEFER);
    scene.stores.clock.move(Duration.ofHours(20));
    scene.dispatch.run();
    assertThat(broker.ids()).hasSize(2).contains(other.record().message().id());
  }

  @Test
  void deferredMessageThatTheBrokerRefusesIsPublishedLater() {
    var unused =
        scene.notifications.configure(
            new UserLimit(
                1,
                1,
                SendScene.WINDOW,
                UserLimit.Algorithm.FIXED_WINDOW,
                UserLimit.CostBy.MESSAGE,
                MONDAY_FROM_8));
    SendResult.Deferred deferred = defer("one", "k1");
    scene.stores.clock.move(Duration.ofHours(20));
    broker.behave(Behaviour.REFUSES);
    scene.dispatch.run();
    assertThat(scene.stores.outbox()).containsExactly(deferred.record().message().id());
    broker.behave(Behaviour.TAKES);
    scene.stores.clock.move(SendScene.OLD);
    scene.republisher.run();
    assertThat(broker.topic()).containsExactly(deferred.record().message());
    assertThat(scene.stores.outbox()).isEmpty();
  }

  private SendResult.Deferred defer(String text, String key) {
    return (SendResult.Deferred)
        scene.notifications.send(1, text, Optional.of(key), SendRequest.WhenClosed.DEFER);
  }

  /** A broker may be slow for some users only, those of one partition. */
  @Test
  @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void usersDoNotWaitForTheMessagesOfOthers() throws Exception {
    SlowForSome slow = new SlowForSome(1);
    try (SendScene others = new SendScene(slow);
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      others.limit(1, 10);
      others.limit(2, 10);
      Future<SendResult.Answer> waiting = callers.submit(() -> others.send(1, "slow"));
      slow.hasBegun.await();
      assertThat(others.send(2, "fast")).isInstanceOf(SendResult.Sent.class);
      assertThat(others.send(2, "fast again")).isInstanceOf(SendResult.Sent.class);
      assertThat(waiting.isDone()).isFalse();
      slow.answer.complete(PublishResult.Done.DONE);
      assertThat(waiting.get()).isInstanceOf(SendResult.Sent.class);
    }
  }

  /** A broker that answers the messages of one user when it is told to. */
  private static final class SlowForSome implements Publisher {
    final CountDownLatch hasBegun = new CountDownLatch(1);
    final CompletableFuture<PublishResult> answer = new CompletableFuture<>();
    private final long slowUser;

    SlowForSome(long slowUser) {
      this.slowUser = slowUser;
    }

    @Override
    public List<CompletableFuture<PublishResult>> begin(List<Message> messages) {
      List<CompletableFuture<PublishResult>> results =
          messages.stream()
              .map(
                  message ->
                      message.userId() == slowUser
                          ? answer
                          : CompletableFuture.<PublishResult>completedFuture(
                              PublishResult.Done.DONE))
              .toList();
      if (messages.stream().anyMatch(message -> message.userId() == slowUser)) {
        hasBegun.countDown();
      }
      return results;
    }

    @Override
    public void probe() {}

    @Override
    public void close() {}
  }
}
