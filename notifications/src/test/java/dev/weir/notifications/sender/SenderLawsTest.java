package dev.weir.notifications.sender;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.MessageState;
import dev.weir.notifications.provider.ProviderResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** What one sender does with every course of messages, on a real broker. */
final class SenderLawsTest {
  /** How the provider treats a message, and how often the message is published. */
  record Plan(int user, Treatment treatment, int times, int copies) {}

  enum Treatment {
    TAKES,
    /** Fails some times, and then takes the message. */
    RETRIES,
    /** Is unavailable some times, more often than a message may fail. */
    UNAVAILABLE,
    THROWS,
    REJECTS,
    NEVER_ANSWERS
  }

  private static final Map<UUID, Plan> plans = new ConcurrentHashMap<>();
  private static final Map<UUID, AtomicInteger> attempts = new ConcurrentHashMap<>();
  private static final Map<UUID, Integer> takenTimes = new ConcurrentHashMap<>();
  private static final Map<Long, List<UUID>> ended = new ConcurrentHashMap<>();
  private static final Set<Long> busy = ConcurrentHashMap.newKeySet();
  private static final AtomicInteger overlaps = new AtomicInteger();
  private static volatile CountDownLatch open = new CountDownLatch(0);
  private static SenderScene scene;
  private static long nextUser;

  @BeforeContainer
  static void start() {
    scene = new SenderScene();
    Sender unused = scene.start(new TestProvider(SenderLawsTest::answer));
  }

  @AfterContainer
  static void stop() {
    scene.close();
  }

  private static ProviderResult answer(Message message) {
    if (!busy.add(message.userId())) {
      overlaps.incrementAndGet();
    }
    try {
      Plan plan = plans.get(message.id());
      int attempt =
          attempts.computeIfAbsent(message.id(), any -> new AtomicInteger()).incrementAndGet();
      return switch (plan.treatment()) {
        case TAKES -> taken(message);
        case RETRIES ->
            attempt <= plan.times() ? new ProviderResult.Retry("not yet") : taken(message);
        case UNAVAILABLE ->
            attempt <= plan.times() * 3
                ? new ProviderResult.Unavailable("busy", Duration.ofMillis(1))
                : taken(message);
        case THROWS -> {
          if (attempt <= plan.times()) {
            throw new IllegalStateException("broken");
          }
          yield taken(message);
        }
        case REJECTS -> {
          end(message);
          yield new ProviderResult.Rejected("invalid");
        }
        case NEVER_ANSWERS -> {
          if (attempt == SenderScene.QUICK.maxUnknown()) {
            end(message);
          }
          yield new ProviderResult.Unknown("never");
        }
      };
    } finally {
      busy.remove(message.userId());
    }
  }

  private static ProviderResult taken(Message message) {
    takenTimes.merge(message.id(), 1, Integer::sum);
    end(message);
    return ProviderResult.Taken.WITHOUT_ID;
  }

  private static void end(Message message) {
    ended.computeIfAbsent(message.userId(), any -> new ArrayList<>()).add(message.id());
    open.countDown();
  }

  /**
   * Each message ends once, in the order of its user, one of a user at a time, whatever the
   * provider does and however often the message was published; its end is recorded.
   */
  @Property(tries = 20)
  void messagesEndOnceAndInTheOrderOfTheirUsers(@ForAll("courses") List<Plan> course) {
    long firstUser = nextUser;
    nextUser += 10;
    List<Message> published = new ArrayList<>();
    Set<Message> messages = new LinkedHashSet<>();
    for (Plan plan : course) {
      Message message = SenderScene.message(firstUser + plan.user(), plan.treatment().name());
      plans.put(message.id(), plan);
      messages.add(message);
      for (int copy = 0; copy < plan.copies(); copy++) {
        published.add(message);
      }
    }
    // The last of each user shows that all before it, copies included, have ended.
    for (int user = 0; user < 10; user++) {
      Message last = SenderScene.message(firstUser + user, "last");
      plans.put(last.id(), new Plan(user, Treatment.TAKES, 0, 1));
      messages.add(last);
      published.add(last);
    }
    open = new CountDownLatch(messages.size());
    scene.stores.addPublished(List.copyOf(messages));
    scene.publishAgain(published);
    TestProvider.await(open);

    for (long user = firstUser; user < firstUser + 10; user++) {
      long userId = user;
      assertThat(ended.get(userId))
          .containsExactlyElementsOf(
              messages.stream()
                  .filter(message -> message.userId() == userId)
                  .map(Message::id)
                  .toList());
    }
    assertThat(overlaps).hasValue(0);
    for (Message message : messages) {
      Plan plan = plans.get(message.id());
      boolean isFailed =
          plan.treatment() == Treatment.REJECTS || plan.treatment() == Treatment.NEVER_ANSWERS;
      assertThat(takenTimes.getOrDefault(message.id(), 0)).isEqualTo(isFailed ? 0 : 1);
      if (!message.text().equals("last")) {
        assertThat(scene.stores.state(message.id())).isEqualTo(state(plan.treatment()));
      }
    }
  }

  private static MessageState state(Treatment treatment) {
    return switch (treatment) {
      case TAKES, RETRIES, UNAVAILABLE, THROWS -> MessageState.SENT;
      case REJECTS -> MessageState.FAILED;
      case NEVER_ANSWERS -> MessageState.UNKNOWN;
    };
  }

  @Provide
  Arbitrary<List<Plan>> courses() {
    return Combinators.combine(
            Arbitraries.integers().between(0, 9),
            Arbitraries.of(Treatment.class),
            Arbitraries.integers().between(0, SenderScene.QUICK.maxUnknown() - 1),
            Arbitraries.integers().between(1, 3))
        .as(Plan::new)
        .list()
        .ofMaxSize(30);
  }
}
