package dev.weir.notifications.sender;

import static dev.weir.notifications.sender.SenderScene.message;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.notifications.Replayed;
import dev.weir.notifications.TestKafka;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.MessageLog;
import dev.weir.notifications.messages.MessageState;
import dev.weir.notifications.provider.ProviderResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Receipts that come while the sender tries a message, or after it has given up. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ReceiptsAndReplaysTest {
  private final SenderScene scene = new SenderScene();
  private final Message message = message(1, "message");

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void receiptEndsTheRetries() {
    assertThat(attemptsUntilReceipt(1, new ProviderResult.Retry("no answer"))).isEqualTo(1);
  }

  @Test
  void receiptDuringTheLastAttemptKeepsAMessageOutOfTheDeadLetters() {
    int last = SenderScene.QUICK.maxUnknown();
    assertThat(attemptsUntilReceipt(last, new ProviderResult.Unknown("no answer"))).isEqualTo(last);
  }

  @Test
  void receiptBeforeARejectionKeepsAMessageOutOfTheDeadLetters() {
    assertThat(attemptsUntilReceipt(1, new ProviderResult.Rejected("twice"))).isEqualTo(1);
  }

  /** Returns how often the message was handed over, if a receipt comes during an attempt. */
  private int attemptsUntilReceipt(int attempt, ProviderResult result) {
    AtomicInteger attempts = new AtomicInteger();
    TestProvider provider =
        new TestProvider(
            handed -> {
              if (!handed.equals(message)) {
                return ProviderResult.Taken.WITHOUT_ID;
              }
              if (attempts.incrementAndGet() == attempt) {
                assertThat(receipt(MessageState.DELIVERED))
                    .isEqualTo(MessageLog.ReceiptResult.RECORDED);
              }
              return result;
            });
    // The next message of the user shows that the first has ended.
    scene.publish(List.of(message, message(1, "next")));
    Sender sender = scene.start(provider);
    provider.awaitTaken(1);
    sender.close();
    assertThat(scene.stores.state(message.id())).isEqualTo(MessageState.DELIVERED);
    assertThat(TestKafka.read(scene.topics.deadLetters())).isEmpty();
    return attempts.get();
  }

  @Test
  void messageThatHasArrivedAfterItsFailureIsNotReplayed() {
    TestProvider provider =
        new TestProvider(
            handed ->
                handed.equals(message)
                    ? new ProviderResult.Rejected("no answer")
                    : ProviderResult.Taken.WITHOUT_ID);
    scene.publish(List.of(message, message(1, "next")));
    Sender unused = scene.start(provider);
    provider.awaitTaken(1);
    assertThat(receipt(MessageState.DELIVERED)).isEqualTo(MessageLog.ReceiptResult.RECORDED);
    assertThat(scene.replay(TestKafka.cluster()).run()).contains(new Replayed(1, 0));
    scene.publish(List.of(message(1, "last")));
    provider.awaitTaken(2);
    assertThat(provider.handed()).filteredOn(message::equals).hasSize(1);
  }

  /** A copy can come from a replay that was aborted before it has committed. */
  @Test
  void copyOfAReplayedLetterDoesNotRepeatALaterFailure() throws Exception {
    AtomicBoolean isFixed = new AtomicBoolean();
    TestProvider provider =
        new TestProvider(
            handed ->
                handed.equals(message) && !isFixed.get()
                    ? new ProviderResult.Rejected("no such number")
                    : ProviderResult.Taken.WITHOUT_ID);
    scene.publish(List.of(message, message(1, "next")));
    Sender unused = scene.start(provider);
    provider.awaitTaken(1);
    isFixed.set(true);
    scene.stores.clock.move(Duration.ofSeconds(1));
    assertThat(scene.replay(TestKafka.cluster()).run()).contains(new Replayed(1, 0));
    scene.publish(List.of(message(1, "after the replay")));
    provider.awaitTaken(3);
    assertThat(receipt(MessageState.FAILED)).isEqualTo(MessageLog.ReceiptResult.RECORDED);

    copyReplayed();
    scene.publish(List.of(message(1, "last")));
    provider.awaitTaken(4);
    assertThat(provider.handed()).filteredOn(message::equals).hasSize(2);
    assertThat(scene.stores.state(message.id())).isEqualTo(MessageState.FAILED);
  }

  /** The clock of the node that gave it up is an hour ahead of the database. */
  @Test
  void replayedLetterThatIsReadAgainDoesNotRepeatItsHandOver() {
    TestProvider refusing =
        new TestProvider(
            handed ->
                handed.equals(message)
                    ? new ProviderResult.Rejected("no such number")
                    : ProviderResult.Taken.WITHOUT_ID);
    SenderSettings settings = scene.settings.withRepetition(SenderSettings.Repetition.AT_MOST_ONCE);
    scene.publish(List.of(message, message(1, "next")));
    Sender first =
        Sender.start(
            TestKafka.cluster(),
            scene.topics,
            refusing,
            scene.stores,
            settings,
            () -> scene.stores.clock.instant().plus(Duration.ofHours(1)),
            SenderObserver.NONE);
    try (first) {
      refusing.awaitTaken(1);
    }
    assertThat(scene.replay(TestKafka.cluster()).run()).contains(new Replayed(1, 0));
    CountDownLatch handed = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    TestProvider slow =
        new TestProvider(
            each -> {
              handed.countDown();
              TestProvider.await(release);
              return ProviderResult.Taken.WITHOUT_ID;
            });
    Sender second = scene.start(slow, scene.stores, settings.withRecordTime(Duration.ofMillis(10)));
    TestProvider.await(handed);
    // It leaves the letter to the next one, as if it had been killed.
    second.close();
    TestProvider third = TestProvider.taking();
    scene.publish(List.of(message(1, "last")));
    Sender unused = scene.start(third, scene.stores, settings);
    third.awaitTaken(1);
    release.countDown();

    assertThat(slow.handed()).containsExactly(message);
    assertThat(third.handed()).doesNotContain(message);
  }

  private void copyReplayed() throws Exception {
    ConsumerRecord<byte[], byte[]> replayed =
        TestKafka.read(scene.topics.outbound()).stream()
            .filter(record -> record.headers().lastHeader(OutboundRecord.REPLAYED) != null)
            .findFirst()
            .orElseThrow();
    try (Producer<byte[], byte[]> producer = TestKafka.clients().producer(TestKafka.TIMEOUT)) {
      producer
          .send(
              new ProducerRecord<>(
                  scene.topics.outbound(),
                  null,
                  replayed.key(),
                  replayed.value(),
                  replayed.headers()))
          .get();
    }
  }

  private MessageLog.ReceiptResult receipt(MessageState state) {
    return scene.stores.receipt(
        new MessageLog.Delivery(
            message.id(),
            state,
            scene.stores.clock.instant(),
            "test",
            List.of(),
            Optional.empty()));
  }
}
