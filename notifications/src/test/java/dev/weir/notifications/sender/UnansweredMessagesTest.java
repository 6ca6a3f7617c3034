package dev.weir.notifications.sender;

import static dev.weir.notifications.sender.SenderScene.message;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.notifications.TestKafka;
import dev.weir.notifications.messages.DeliveryGuarantee;
import dev.weir.notifications.messages.HandOver;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.MessageLog.Attempt;
import dev.weir.notifications.messages.MessageLog.Delivery;
import dev.weir.notifications.messages.MessageState;
import dev.weir.notifications.provider.ProviderResult;
import dev.weir.notifications.sender.SenderSettings.Repetition;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages that were handed over, and whose answer is missing or late. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class UnansweredMessagesTest {
  private final SenderScene scene = new SenderScene();
  private final SenderSettings atMostOnce = scene.settings.withRepetition(Repetition.AT_MOST_ONCE);
  private final Message message = message(1, "message");
  private final Message next = message(1, "next");

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void handOverWithoutAnAnswerIsUnknownAndNotRepeatedAtMostOnce() {
    TestProvider provider = answering(new ProviderResult.Unknown("no answer"));
    scene.publish(List.of(message, next));
    Sender sender = scene.start(provider, scene.stores, atMostOnce);
    provider.awaitTaken(1);
    sender.close();

    assertThat(provider.handed()).containsExactly(message, next);
    assertThat(scene.stores.state(message.id())).isEqualTo(MessageState.UNKNOWN);
    assertThat(TestKafka.read(scene.topics.deadLetters())).isEmpty();
  }

  @Test
  void handOverWithoutAnAnswerIsRepeatedAtLeastOnce() {
    AtomicInteger attempts = new AtomicInteger();
    TestProvider provider =
        new TestProvider(
            handed ->
                attempts.incrementAndGet() == 1
                    ? new ProviderResult.Unknown("no answer")
                    : ProviderResult.Taken.WITHOUT_ID);
    scene.publish(List.of(message, next));
    Sender sender = scene.start(provider);
    provider.awaitTaken(2);
    sender.close();

    assertThat(provider.handed()).containsExactly(message, message, next);
    assertThat(scene.stores.state(message.id())).isEqualTo(MessageState.SENT);
  }

  @Test
  void lateAnswerCounts() {
    CompletableFuture<ProviderResult> late = new CompletableFuture<>();
    TestProvider provider = answering(new ProviderResult.Unknown("no answer", late));
    scene.publish(List.of(message, next));
    Sender unused = scene.start(provider, scene.stores, atMostOnce);
    provider.awaitTaken(1);

    late.complete(new ProviderResult.Taken(List.of("id")));

    assertThat(scene.stores.state(message.id())).isEqualTo(MessageState.SENT);
  }

  @Test
  void lateRefusalIsAFailureAndADeadLetter() {
    CompletableFuture<ProviderResult> late = new CompletableFuture<>();
    TestProvider provider = answering(new ProviderResult.Unknown("no answer", late));
    scene.publish(List.of(message, next));
    Sender unused = scene.start(provider, scene.stores, atMostOnce);
    provider.awaitTaken(1);

    late.complete(new ProviderResult.Rejected("no such number"));

    assertThat(scene.stores.state(message.id())).isEqualTo(MessageState.FAILED);
    assertThat(TestKafka.read(scene.topics.deadLetters())).hasSize(1);
  }

  private TestProvider answering(ProviderResult result) {
    return new TestProvider(
        handed -> handed.equals(message) ? result : ProviderResult.Taken.WITHOUT_ID);
  }

  /** A sender has recorded that it hands the message over, and then it is killed. */
  @Test
  void senderThatIsKilledLeavesBehindThatAMessageMayHaveBeenSent() {
    scene.publish(List.of(message, next));
    assertThat(
            scene.stores.handOver(
                List.of(Attempt.of(message.id())), "test", new DeliveryGuarantee.AtMostOnce()))
        .containsExactly(new HandOver.Begun());
    TestProvider provider = TestProvider.taking();
    Sender sender = scene.start(provider, scene.stores, atMostOnce);
    provider.awaitTaken(1);
    sender.close();

    assertThat(provider.handed()).containsExactly(next);
    assertThat(scene.stores.state(message.id())).isEqualTo(MessageState.UNKNOWN);
  }

  /** The record of the other one is younger than the first try of this one. */
  @Test
  void handOverOfAnotherSenderDuringAnOutageIsNotTakenForOnesOwn() {
    scene.publish(List.of(message, next));
    scene.stores.setDown(true);
    TestProvider provider = TestProvider.taking();
    Sender unused = scene.start(provider, scene.stores, atMostOnce);
    scene.stores.awaitFailedCall();
    synchronized (scene.stores) {
      scene.stores.setDown(false);
      assertThat(
              scene.stores.handOver(
                  List.of(Attempt.of(message.id())), "test", new DeliveryGuarantee.AtMostOnce()))
          .containsExactly(new HandOver.Begun());
    }
    provider.awaitTaken(1);

    assertThat(provider.handed()).containsExactly(next);
    assertThat(scene.stores.state(message.id())).isEqualTo(MessageState.UNKNOWN);
  }

  @Test
  void handOverWhoseRecordWasNotAnsweredIsMade() {
    scene.stores.loseAnswer(() -> {});
    scene.publish(List.of(message, next));
    TestProvider provider = TestProvider.taking();
    Sender sender = scene.start(provider, scene.stores, atMostOnce);
    provider.awaitTaken(2);
    sender.close();

    assertThat(provider.handed()).containsExactly(message, next);
    assertThat(scene.stores.state(message.id())).isEqualTo(MessageState.SENT);
  }

  /** It was recorded, and another sender has found it without an answer. */
  @Test
  void handOverThatAnotherSenderHasEndedIsNotMade() {
    for (MessageState end : List.of(MessageState.UNKNOWN, MessageState.FAILED)) {
      SenderScene own = new SenderScene();
      try (own) {
        own.stores.loseAnswer(
            () ->
                own.stores.record(
                    List.of(
                        new Delivery(
                            message.id(),
                            end,
                            own.stores.clock.instant(),
                            "test",
                            List.of(),
                            Optional.of("ended by another sender")))));
        own.publish(List.of(message, next));
        TestProvider provider = TestProvider.taking();
        Sender sender =
            own.start(provider, own.stores, own.settings.withRepetition(Repetition.AT_MOST_ONCE));
        provider.awaitTaken(1);
        sender.close();

        assertThat(provider.handed()).containsExactly(next);
        assertThat(own.stores.state(message.id())).isEqualTo(end);
      }
    }
  }

  /** Its first part was taken, and would be sent twice. */
  @Test
  void messageThatIsSubmittedInPartIsNotBegunByTheNextSender() {
    for (ProviderResult refusal :
        List.of(
            new ProviderResult.Retry("busy"),
            new ProviderResult.Unavailable("throttled", Duration.ofMillis(1)))) {
      SenderScene own = new SenderScene();
      try (own) {
        CountDownLatch refused = new CountDownLatch(2);
        TestProvider first =
            new TestProvider(
                handed -> {
                  refused.countDown();
                  return refusal;
                });
        first.keepParts();
        own.publish(List.of(message, next));
        SenderSettings settings = own.settings.withRepetition(Repetition.AT_MOST_ONCE);
        Sender sender = own.start(first, own.stores, settings);
        TestProvider.await(refused);
        sender.close();
        TestProvider second = TestProvider.taking();
        Sender unused = own.start(second, own.stores, settings);
        second.awaitTaken(1);

        assertThat(second.handed()).containsExactly(next);
        assertThat(own.stores.state(message.id())).isEqualTo(MessageState.UNKNOWN);
      }
    }
  }

  /** An operator had it sent again, by another sender, while this one was stopped. */
  @Test
  void messageThatIsSubmittedInPartIsLeftToTheSenderThatHasBegunItSince() {
    AtomicInteger attempts = new AtomicInteger();
    TestProvider provider =
        new TestProvider(
            handed -> {
              if (!handed.equals(message)) {
                return ProviderResult.Taken.WITHOUT_ID;
              }
              if (attempts.incrementAndGet() == 2) {
                assertThat(scene.stores.reopen(List.of(message.id()), scene.stores.clock.instant()))
                    .hasSize(1);
                assertThat(
                        scene.stores.handOver(
                            List.of(Attempt.of(message.id())),
                            "test",
                            new DeliveryGuarantee.AtMostOnce()))
                    .containsExactly(new HandOver.Begun());
              }
              return new ProviderResult.Retry("busy");
            });
    provider.keepParts();
    scene.publish(List.of(message, next));
    Sender sender = scene.start(provider, scene.stores, atMostOnce);
    provider.awaitTaken(1);
    sender.close();

    assertThat(provider.handed()).containsExactly(message, message, next);
  }

  @Test
  void messageThatIsSubmittedInPartIsCompletedByItsSender() {
    AtomicInteger attempts = new AtomicInteger();
    TestProvider provider =
        new TestProvider(
            handed ->
                attempts.incrementAndGet() <= 3
                    ? new ProviderResult.Retry("busy")
                    : ProviderResult.Taken.WITHOUT_ID);
    provider.keepParts();
    scene.publish(List.of(message, next));
    Sender sender = scene.start(provider, scene.stores, atMostOnce);
    provider.awaitTaken(2);
    sender.close();

    assertThat(provider.handed()).containsExactly(message, message, message, message, next);
    assertThat(scene.stores.state(message.id())).isEqualTo(MessageState.SENT);
  }

  /** It may be in flight, so the next sender awaits the time of an answer before it repeats it. */
  @Test
  void nextSenderRepeatsAHandOverOnlyAfterTheTimeOfAnAnswer() {
    Duration maxAnswerTime = Duration.ofHours(1);
    scene.publish(List.of(message));
    scene.stores.handOver(
        List.of(Attempt.of(message.id())), "test", new DeliveryGuarantee.AtMostOnce());
    TestProvider provider = TestProvider.taking(maxAnswerTime);
    Sender unused = scene.start(provider);
    // Asked by the test, by this sender, and again.
    assertThat(scene.stores.awaitAsked(3, Duration.ofMinutes(2))).isTrue();
    assertThat(provider.handed()).isEmpty();

    scene.stores.clock.move(maxAnswerTime);
    provider.awaitTaken(1);
  }

  /** The first sender waits for its answer longer than a rebalance can wait for it. */
  @Test
  void senderThatJoinsDoesNotRepeatWhatIsInFlight() {
    CountDownLatch handed = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    TestProvider slow =
        new TestProvider(
            each -> {
              handed.countDown();
              TestProvider.await(release);
              return ProviderResult.Taken.WITHOUT_ID;
            });
    SenderSettings settings = atMostOnce.withRecordTime(Duration.ofMillis(10));
    scene.publish(List.of(message, next));
    Sender first = scene.start(slow, scene.stores, settings);
    TestProvider.await(handed);
    TestProvider second = TestProvider.taking();
    Sender unused = scene.start(second, scene.stores, settings);
    first.close();
    second.awaitTaken(1);
    release.countDown();

    assertThat(second.handed()).containsExactly(next);
    scene.stores.awaitState(message.id(), MessageState.SENT);
  }
}
