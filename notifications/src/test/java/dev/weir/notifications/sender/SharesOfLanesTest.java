package dev.weir.notifications.sender;

import static dev.weir.notifications.sender.SenderScene.message;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.notifications.messages.Message;
import dev.weir.notifications.provider.ProviderResult;
import dev.weir.store.tck.internal.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Users that fail or are slow, with more messages than a sender keeps in memory. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class SharesOfLanesTest {
  private static final int ROOM = 100;

  private final SenderScene scene = new SenderScene();
  private final SenderSettings settings = scene.settings.withMaxBuffered(ROOM);

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void userThatFailsStopsNoOtherHoweverManyMessagesItHas() {
    AtomicBoolean isRepaired = new AtomicBoolean();
    TestProvider provider = failingFor(1, isRepaired);
    List<Message> failing = publish(500, 1, 0);
    List<Message> others = publish(100, 50, 1_000);
    Sender sender = scene.start(provider, scene.stores, settings);

    provider.awaitTaken(100);
    assertThat(provider.taken()).containsExactlyInAnyOrderElementsOf(others);
    // The others have been taken, and are done a little later.
    Await.until(() -> sender.backlog().aside() >= 499 && sender.backlog().messages() <= 500);
    assertThat(sender.backlog().messages()).isEqualTo(500);
    assertThat(sender.backlog().oldest()).isPresent();

    isRepaired.set(true);
    provider.awaitTaken(600);
    assertThat(provider.taken().subList(100, 600)).containsExactlyElementsOf(failing);
    Await.until(() -> sender.backlog().messages() == 0);
    assertThat(sender.backlog()).isEqualTo(Backlog.NONE);
  }

  /** A route that fails, for example. There are more of them than there is room. */
  @Test
  void manyUsersThatFailStopNoOther() {
    AtomicBoolean isRepaired = new AtomicBoolean();
    TestProvider provider = failingFor(3 * ROOM, isRepaired);
    publish(5 * 3 * ROOM, 3 * ROOM, 0);
    List<Message> others = publish(100, 50, 1_000);
    Sender unused = scene.start(provider, scene.stores, settings);

    provider.awaitTaken(100);
    assertThat(provider.taken()).containsExactlyInAnyOrderElementsOf(others);
    isRepaired.set(true);
    provider.awaitTaken(100 + 5 * 3 * ROOM);
    assertThat(provider.taken()).doesNotHaveDuplicates();
    assertInOrder(provider.taken());
  }

  @Test
  void slowUserLeavesRoomForOthers() {
    CountDownLatch release = new CountDownLatch(1);
    TestProvider provider =
        new TestProvider(
            message -> {
              if (message.userId() == 0) {
                TestProvider.await(release);
              }
              return ProviderResult.Taken.WITHOUT_ID;
            });
    publish(500, 1, 0);
    publish(100, 50, 1_000);
    Sender unused = scene.start(provider, scene.stores, settings);

    provider.awaitTaken(100);
    release.countDown();
    provider.awaitTaken(600);
    assertThat(provider.taken()).doesNotHaveDuplicates();
    assertInOrder(provider.taken());
  }

  /** More of them than messages that the provider has at a time, and none was known to hang. */
  @Test
  void recipientsThatHangLeavePlacesForOthers() {
    int hanging = 3 * SenderSettings.DEFAULT.maxInFlight();
    CountDownLatch release = new CountDownLatch(1);
    TestProvider provider =
        new TestProvider(
            message -> {
              if (message.userId() < hanging) {
                TestProvider.await(release);
              }
              return ProviderResult.Taken.WITHOUT_ID;
            });
    publish(hanging, hanging, 0);
    publish(100, 50, 1_000);
    Sender unused = scene.start(provider);

    provider.awaitTaken(100);
    assertThat(provider.taken()).allMatch(message -> message.userId() >= 1_000);
    release.countDown();
    provider.awaitTaken(100 + hanging);
    assertThat(provider.taken()).doesNotHaveDuplicates();
  }

  /** Their failures must not stop those that answer, also if these have few messages. */
  @Test
  void recipientsThatHangAgainAndAgainStopNoOther() {
    int hanging = 2 * SenderSettings.DEFAULT.maxInFlight();
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch failed = new CountDownLatch(hanging);
    Set<Long> known = ConcurrentHashMap.newKeySet();
    TestProvider provider =
        new TestProvider(
            message -> {
              if (message.userId() >= hanging || release.getCount() == 0) {
                return ProviderResult.Taken.WITHOUT_ID;
              }
              if (known.add(message.userId())) {
                failed.countDown();
                return new ProviderResult.Unknown("no answer");
              }
              TestProvider.await(release);
              return ProviderResult.Taken.WITHOUT_ID;
            });
    publish(hanging, hanging, 0);
    Sender unused = scene.start(provider);
    TestProvider.await(failed);
    for (int i = 0; i < 20; i++) {
      publish(1, 1, 1_000);
      provider.awaitTaken(i + 1);
    }

    assertThat(provider.taken()).allMatch(message -> message.userId() == 1_000);
    release.countDown();
    provider.awaitTaken(20 + hanging);
  }

  /** What waits in the topic is before the position that is committed. */
  @Test
  void nextSenderGetsWhatWasPutAside() {
    AtomicBoolean isRepaired = new AtomicBoolean();
    TestProvider first = failingFor(1, isRepaired);
    List<Message> failing = publish(200, 1, 0);
    publish(100, 50, 1_000);
    Sender sender = scene.start(first, scene.stores, settings);
    first.awaitTaken(100);
    sender.close();
    TestProvider second = TestProvider.taking();
    Sender unused = scene.start(second, scene.stores, settings);

    second.awaitTaken(200);
    assertThat(second.taken()).containsExactlyElementsOf(failing);
  }

  /** Returns a provider that fails for users below a number until it is repaired. */
  private static TestProvider failingFor(int users, AtomicBoolean isRepaired) {
    return new TestProvider(
        message ->
            message.userId() < users && !isRepaired.get()
                ? new ProviderResult.Retry("HTTP status 500", Duration.ofMillis(20))
                : ProviderResult.Taken.WITHOUT_ID);
  }

  /** Publishes messages of users in turn; their texts are numbers in the order of publication. */
  private List<Message> publish(int count, int users, int firstUser) {
    List<Message> messages =
        IntStream.range(0, count)
            .mapToObj(i -> message(firstUser + i % users, Integer.toString(i)))
            .toList();
    scene.publish(messages);
    return messages;
  }

  private static void assertInOrder(List<Message> taken) {
    for (long userId : taken.stream().map(Message::userId).distinct().toList()) {
      List<Integer> numbers = new ArrayList<>();
      taken.stream()
          .filter(message -> message.userId() == userId)
          .forEach(message -> numbers.add(Integer.parseInt(message.text())));
      assertThat(numbers).isSorted();
    }
  }
}
