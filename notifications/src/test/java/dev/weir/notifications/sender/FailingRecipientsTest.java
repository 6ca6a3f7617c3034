package dev.weir.notifications.sender;

import static dev.weir.notifications.sender.SenderScene.message;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.notifications.TestKafka;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.MessageState;
import dev.weir.notifications.provider.ProviderResult;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Recipients and providers that fail, for a time or for good. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class FailingRecipientsTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final SenderScene scene = new SenderScene();

  @AfterEach
  void close() {
    scene.close();
  }

  /** A 502 for a minute, for example. */
  @Test
  void failuresThatEndInTimeLeaveNoDeadLetter() {
    Map<UUID, Integer> attempts = new ConcurrentHashMap<>();
    TestProvider provider =
        new TestProvider(
            message ->
                attempts.merge(message.id(), 1, Integer::sum) < 10
                    ? new ProviderResult.Retry("HTTP status 502")
                    : ProviderResult.Taken.WITHOUT_ID);
    scene.publish(IntStream.range(0, 10).mapToObj(i -> message(i, "hello")).toList());
    Sender sender = scene.start(provider);
    provider.awaitTaken(10);
    sender.close();
    assertThat(TestKafka.read(scene.topics.deadLetters())).isEmpty();
  }

  @Test
  void recipientThatAsksForAPauseGetsItAloneAndOthersGoOn() {
    CountDownLatch asked = new CountDownLatch(1);
    TestProvider provider =
        new TestProvider(
            message -> {
              if (message.userId() > 0) {
                return ProviderResult.Taken.WITHOUT_ID;
              }
              asked.countDown();
              return new ProviderResult.Retry("HTTP status 503", HOUR);
            });
    scene.publish(IntStream.range(0, 100).mapToObj(i -> message(i % 10, "hello")).toList());
    Sender unused = scene.start(provider);
    TestProvider.await(asked);
    provider.awaitTaken(90);
    assertThat(provider.handed()).filteredOn(message -> message.userId() == 0).hasSize(1);
  }

  /**
   * Once the time of its user is over, each message gets one attempt, not all of the time again.
   */
  @Test
  void recipientThatFailsForGoodEndsInDeadLettersByTimeNotByCount() {
    TestProvider provider =
        new TestProvider(
            message ->
                message.text().equals("last")
                    ? ProviderResult.Taken.WITHOUT_ID
                    : new ProviderResult.Retry("HTTP status 500"));
    List<Message> messages =
        IntStream.range(0, 50).mapToObj(i -> message(1, Integer.toString(i))).toList();
    scene.publish(messages);
    scene.publish(List.of(message(1, "last")));
    Sender sender =
        scene.start(
            provider,
            scene.stores,
            scene.settings.withRetries(
                new RetryPolicy(
                    Duration.ofMillis(1), 3, Duration.ofMillis(2), Duration.ofMillis(2))));
    provider.awaitTaken(1);
    sender.close();
    assertThat(messages)
        .extracting(message -> scene.stores.state(message.id()))
        .containsOnly(MessageState.FAILED);
    assertThat(TestKafka.read(scene.topics.deadLetters())).hasSize(50);
    // The first is repeated once, because its user begins to fail with it.
    assertThat(provider.handed()).hasSizeLessThanOrEqualTo(52);
  }
}
