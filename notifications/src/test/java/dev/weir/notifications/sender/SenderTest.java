package dev.weir.notifications.sender;

import static dev.weir.notifications.sender.SenderScene.message;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.AcquireResult;
import dev.weir.limits.Decision;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.LimitObserver;
import dev.weir.limits.Limiter;
import dev.weir.limits.Outcome;
import dev.weir.limits.Policy;
import dev.weir.limits.memory.MemoryLimitStore;
import dev.weir.notifications.DecodedRecord;
import dev.weir.notifications.MemoryStores;
import dev.weir.notifications.Replayed;
import dev.weir.notifications.TestKafka;
import dev.weir.notifications.kafka.MessageRecords;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.MessageState;
import dev.weir.notifications.provider.ProviderResult;
import dev.weir.store.tck.SettableClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class SenderTest {
  private final SenderScene scene = new SenderScene();

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void slowUserDoesNotKeepOthersWaiting() {
    CountDownLatch release = new CountDownLatch(1);
    TestProvider provider =
        new TestProvider(
            message -> {
              if (message.userId() == 0) {
                TestProvider.await(release);
              }
              return ProviderResult.Taken.WITHOUT_ID;
            });
    scene.publish(messages(200, 20));
    Sender unused = scene.start(provider);
    provider.awaitTaken(190);
    release.countDown();
    provider.awaitTaken(200);
    assertInOrder(provider.taken());
  }

  @Test
  void readingPausesWhileTooManyRecordsAreNotDone() throws InterruptedException {
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch full = new CountDownLatch(20);
    TestProvider provider =
        new TestProvider(
            message -> {
              full.countDown();
              TestProvider.await(release);
              return ProviderResult.Taken.WITHOUT_ID;
            });
    // A user each, so that each record that is read asks the log immediately.
    scene.publish(messages(1_000, 1_000));
    Sender unused = scene.start(provider, scene.stores, scene.settings.withMaxBuffered(20));
    TestProvider.await(full);
    // Up to 20, and up to 20 more that one poll returns.
    assertThat(scene.stores.awaitAsked(41, Duration.ofMillis(500))).isFalse();
    release.countDown();
    provider.awaitTaken(1_000);
    assertThat(ids(provider.taken())).doesNotHaveDuplicates();
  }

  @Test
  void nextSenderGoesOnWhereTheFirstWasStopped() {
    List<Message> messages = messages(300, 15);
    scene.publish(messages);
    TestProvider first = TestProvider.taking();
    Sender sender = scene.start(first);
    first.awaitTaken(50);
    sender.close();
    TestProvider second = TestProvider.taking();
    Sender unused = scene.start(second);
    second.awaitTaken(300 - first.taken().size());
    List<Message> all = new ArrayList<>(first.taken());
    all.addAll(second.taken());
    assertThat(ids(all)).doesNotHaveDuplicates().hasSize(300);
    assertInOrder(all);
  }

  /** A second sender joins and the first leaves, while messages are in progress. */
  @Test
  void partitionsMoveBetweenSendersWithoutLossDoubleOrDisorder() {
    TestProvider provider = TestProvider.taking();
    List<Message> all = new ArrayList<>();
    Sender first = scene.start(provider);
    for (int round = 0; round < 10; round++) {
      all.addAll(publishRound(round));
      if (round == 3) {
        Sender unused = scene.start(provider);
      }
      if (round == 6) {
        first.close();
      }
      provider.awaitTaken(all.size() / 2);
    }
    provider.awaitTaken(all.size());
    assertThat(ids(provider.taken())).containsExactlyInAnyOrderElementsOf(ids(all));
    assertInOrder(provider.taken());
  }

  private List<Message> publishRound(int round) {
    List<Message> messages =
        IntStream.range(0, 100)
            .mapToObj(i -> message(i % 10, Integer.toString(round * 100 + i)))
            .toList();
    scene.publish(messages);
    return messages;
  }

  /**
   * The provider has messages whose delivery could not be recorded, because the log went down, and
   * then the sender is gone: these are delivered again, none is lost, and their order stays.
   */
  @Test
  void crashBetweenProviderAndRecordDeliversAgainAndLosesNothing() {
    List<Message> messages = messages(100, 10);
    scene.publish(messages);
    CountDownLatch handed = new CountDownLatch(30);
    AtomicBoolean isCrashing = new AtomicBoolean();
    TestProvider first =
        new TestProvider(
            message -> {
              handed.countDown();
              if (handed.getCount() == 0 && isCrashing.compareAndSet(false, true)) {
                scene.stores.setDown(true);
              }
              return ProviderResult.Taken.WITHOUT_ID;
            });
    Sender crashed = scene.start(first);
    TestProvider.await(handed);
    crashed.close();
    scene.stores.setDown(false);
    Set<UUID> recorded = ConcurrentHashMap.newKeySet();
    messages.stream()
        .filter(message -> scene.stores.state(message.id()) == MessageState.SENT)
        .forEach(message -> recorded.add(message.id()));

    TestProvider second = TestProvider.taking();
    Sender unused = scene.start(second);
    second.awaitTaken(100 - recorded.size());
    assertThat(first.taken().size() + second.taken().size()).isGreaterThan(100);
    assertThat(ids(second.taken())).doesNotContainAnyElementsOf(recorded);
    assertInOrder(second.taken());
    Set<UUID> delivered = ConcurrentHashMap.newKeySet();
    delivered.addAll(recorded);
    delivered.addAll(ids(second.taken()));
    assertThat(delivered).hasSize(100);
  }

  /**
   * A position of the sender is beyond the end of the new topic in the first round. In the second
   * it is a valid one there, but messages before it were not read.
   */
  @Test
  void topicThatWasDeletedAndCreatedAgainIsReadFromItsBeginning() {
    TestProvider provider = TestProvider.taking();
    Sender unused = scene.start(provider);
    List<Message> all = new ArrayList<>(messages(30, 1));
    scene.publish(all);
    provider.awaitTaken(30);
    for (int count : List.of(10, 60)) {
      TestKafka.recreate(scene.topics.outbound());
      List<Message> next = messages(count, 1);
      scene.publish(next);
      all.addAll(next);
      provider.awaitTaken(all.size());
    }
    assertThat(ids(provider.taken())).containsExactlyInAnyOrderElementsOf(ids(all));
  }

  /** What was committed belongs to a topic that exists no more. */
  @Test
  void nextSenderReadsATopicThatWasCreatedAgainFromItsBeginning() {
    TestProvider provider = TestProvider.taking();
    Sender first = scene.start(provider);
    scene.publish(messages(30, 1));
    provider.awaitTaken(30);
    first.close();
    TestKafka.recreate(scene.topics.outbound());
    TestKafka.commit(scene.settings.group(), scene.topics.outbound(), 30, "an earlier topic");
    List<Message> next = messages(60, 1);
    scene.publish(next);
    TestProvider second = TestProvider.taking();
    Sender unused = scene.start(second);
    second.awaitTaken(60);
    assertThat(ids(second.taken())).containsExactlyElementsOf(ids(next));
  }

  @Test
  void nothingIsHandedOverWhileTheLogIsDown() {
    scene.stores.setDown(true);
    TestProvider provider = TestProvider.taking();
    Sender first = scene.start(provider);
    scene.publishAgain(messages(10, 2));
    scene.stores.awaitFailedCall();
    first.close();
    assertThat(provider.handed()).isEmpty();
    scene.stores.setDown(false);
    Sender unused = scene.start(provider);
    provider.awaitTaken(10);
  }

  @Test
  void rejectedMessageIsADeadLetterWithItsReasonAndCanBeReplayed() {
    AtomicBoolean isFixed = new AtomicBoolean();
    TestProvider provider =
        new TestProvider(
            message ->
                message.text().equals("bad") && !isFixed.get()
                    ? new ProviderResult.Rejected("unknown recipient")
                    : ProviderResult.Taken.WITHOUT_ID);
    Message bad = message(1, "bad");
    Message good = message(1, "good");
    scene.publish(List.of(bad, good));
    Sender unused = scene.start(provider);
    provider.awaitTaken(1);
    assertThat(provider.taken()).containsExactly(good);
    assertThat(scene.stores.state(bad.id())).isEqualTo(MessageState.FAILED);

    List<ConsumerRecord<byte[], byte[]>> letters = TestKafka.read(scene.topics.deadLetters());
    assertThat(letters).hasSize(1);
    ConsumerRecord<byte[], byte[]> letter = letters.getFirst();
    assertThat(DecodedRecord.message(letter)).isEqualTo(bad);
    assertThat(header(letter, DeadLetters.REASON)).isEqualTo("unknown recipient");
    assertThat(header(letter, DeadLetters.PROVIDER)).isEqualTo("test");
    assertThat(header(letter, DeadLetters.ATTEMPTS)).isEqualTo("1");

    isFixed.set(true);
    assertThat(replay().run()).contains(new Replayed(1, 0));
    provider.awaitTaken(2);
    assertThat(provider.taken()).containsExactly(good, bad);
    assertThat(replay().run()).contains(Replayed.NONE);
  }

  private DeadLetterReplay replay() {
    return scene.replay(TestKafka.cluster());
  }

  @Test
  void recordThatIsNoMessageIsADeadLetterAndKeepsNothingBack() throws Exception {
    try (Producer<byte[], byte[]> producer = TestKafka.clients().producer(TestKafka.TIMEOUT)) {
      for (String value : List.of("no message", "x: y", ": ", "-5: text", "24: ")) {
        producer
            .send(
                new ProducerRecord<>(
                    scene.topics.outbound(),
                    MessageRecords.bytes("1"),
                    MessageRecords.bytes(value)))
            .get();
      }
      producer.send(new ProducerRecord<>(scene.topics.outbound(), null, null)).get();
      // A message of another producer, without an id.
      producer
          .send(
              new ProducerRecord<>(
                  scene.topics.outbound(),
                  MessageRecords.bytes("1"),
                  MessageRecords.bytes("1: foreign")))
          .get();
    }
    TestProvider provider = TestProvider.taking();
    Message last = message(1, "last");
    scene.publish(List.of(last));
    Sender sender = scene.start(provider);
    provider.awaitTaken(2);
    sender.close();
    assertThat(provider.taken()).extracting(Message::text).containsExactly("foreign", "last");
    assertThat(TestKafka.read(scene.topics.deadLetters()))
        .hasSize(6)
        .extracting(letter -> header(letter, DeadLetters.REASON))
        .contains(
            "the record is no message: it has no value",
            "the record is no message: its text is blank")
        .allMatch(reason -> reason.startsWith("the record is no message: "));
  }

  /** Near the maximum of the producer, so that a dead letter with its headers does not fit. */
  @Test
  void recordThatIsTooLargeForADeadLetterKeepsNothingBack() throws Exception {
    try (Producer<byte[], byte[]> producer = TestKafka.clients().producer(TestKafka.TIMEOUT)) {
      producer.send(large(scene.topics.outbound(), 1_048_450)).get();
      producer.send(large(scene.topics.deadLetters(), 1_048_480)).get();
    }
    TestProvider provider = TestProvider.taking();
    Message last = message(1, "last");
    scene.publish(List.of(last));
    Sender sender = scene.start(provider);
    provider.awaitTaken(1);
    sender.close();
    assertThat(provider.taken()).containsExactly(last);
    List<ConsumerRecord<byte[], byte[]>> letters = TestKafka.read(scene.topics.deadLetters());
    assertThat(letters).hasSize(2);
    ConsumerRecord<byte[], byte[]> letter = letters.getLast();
    assertThat(letter.value()).hasSize(4_096);
    assertThat(header(letter, MessageRecords.SHORTENED)).isEqualTo("true");
    assertThat(header(letter, DeadLetters.REASON)).startsWith("the record is no message: ");
    // The first letter has no room for the header of a replay, and the second is not whole.
    assertThat(replay().run()).contains(new Replayed(0, 2));
  }

  private static ProducerRecord<byte[], byte[]> large(String topic, int bytes) {
    return new ProducerRecord<>(
        topic, MessageRecords.bytes("1"), MessageRecords.bytes("x".repeat(bytes)));
  }

  @Test
  void providerIsHandedNoMoreThanItsRate() {
    Duration window = Duration.ofMillis(100);
    Policy policy = Policy.of("sms", FixedWindow.of(3, window));
    SettableClock clock = new SettableClock(MemoryStores.START);
    CountDownLatch refusals = new CountDownLatch(6);
    LimitObserver observer =
        new LimitObserver() {
          @Override
          public void decided(Policy decided, Outcome outcome, AcquireResult.Mode mode) {
            if (outcome instanceof Decision.Refused) {
              refusals.countDown();
            }
          }
        };
    TestProvider provider = TestProvider.taking();
    scene.publish(messages(9, 9));
    try (Limiter limiter = Limiter.on(new MemoryLimitStore(clock, 10)).observedBy(observer)) {
      Sender sender =
          scene.start(
              provider,
              scene.stores,
              scene.settings.withRate(new SenderSettings.Rate(limiter, policy)));
      TestProvider.await(refusals);
      // Each window lets three pass, however long it lasts.
      for (int taken = 3; taken <= 9; taken += 3) {
        provider.awaitTaken(taken);
        assertThat(provider.handed()).hasSize(taken);
        clock.move(window);
      }
      sender.close();
    }
  }

  private static List<Message> messages(int count, int users) {
    return IntStream.range(0, count)
        .mapToObj(i -> message(i % users, Integer.toString(i)))
        .toList();
  }

  private static List<UUID> ids(List<Message> messages) {
    return messages.stream().map(Message::id).toList();
  }

  /** Texts are numbers, in the order in which messages were published. */
  private static void assertInOrder(List<Message> taken) {
    for (long userId : taken.stream().map(Message::userId).distinct().toList()) {
      assertThat(
              taken.stream()
                  .filter(message -> message.userId() == userId)
                  .map(message -> Integer.parseInt(message.text())))
          .isSorted();
    }
  }

  private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
    return MessageRecords.header(record.headers(), name).orElseThrow();
  }
}
