package dev.weir.notifications;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.limits.CircuitBreaker;
import dev.weir.limits.Decision;
import dev.weir.limits.FixedWindow;
import dev.weir.notifications.messages.HotCounts;
import dev.weir.notifications.messages.SendResult;
import dev.weir.notifications.messages.UserLimit;
import dev.weir.notifications.messages.UserState;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class HotFilterTest {
  /** The newest state of each user, and what was checked since; refuses if nothing is left. */
  private static final class Counts implements HotCounts {
    final Map<Long, UserState> entries = new HashMap<>();
    final Map<Long, Integer> checked = new HashMap<>();
    final BlockingQueue<UserState> learned = new LinkedBlockingQueue<>();
    final BlockingQueue<Long> forgotten = new LinkedBlockingQueue<>();
    final Set<Long> counting = new HashSet<>();
    boolean isDown;
    int answered;

    @Override
    public synchronized List<Checked> check(List<Wanted> wanted) {
      requireUp();
      answered++;
      return wanted.stream().map(this::check).toList();
    }

    private Checked check(Wanted wanted) {
      UserState entry = entries.get(wanted.userId());
      if (entry == null
          || entry.version() < wanted.minVersion()
          || entry.remaining() >= checked.merge(wanted.userId(), 1, Integer::sum)) {
        return counting.contains(wanted.userId()) ? Passed.COUNTED : Passed.UNKNOWN;
      }
      return new Refusal(entry.limit().limit(), new Decision.Refused(0, 1_000_000, 1_000_000));
    }

    @Override
    public synchronized void learn(List<UserState> states) {
      requireUp();
      for (UserState state : states) {
        long userId = state.limit().userId();
        UserState known = entries.get(userId);
        if (known == null || known.revision() <= state.revision()) {
          entries.put(userId, state);
          checked.remove(userId);
        }
        learned.add(state);
      }
    }

    @Override
    public synchronized void forget(long userId) {
      requireUp();
      entries.remove(userId);
      checked.remove(userId);
      forgotten.add(userId);
    }

    synchronized UserState entry(long userId) {
      return entries.get(userId);
    }

    synchronized int answered() {
      return answered;
    }

    synchronized void setDown(boolean down) {
      isDown = down;
    }

    /** Reports from now on that it counts the messages of a user. */
    synchronized void count(long userId) {
      counting.add(userId);
    }

    private void requireUp() {
      if (isDown) {
        throw new StoreException(StoreException.Outcome.UNKNOWN, "the hot store is down");
      }
    }
  }

  private final Counts counts = new Counts();
  private final ScriptedPublisher broker = new ScriptedPublisher();
  private final SendScene scene =
      new SendScene(
          broker,
          new HotFilter(
              counts,
              new CircuitBreaker.Settings(1, Duration.ofMillis(1), Duration.ofMillis(1)),
              Duration.ofMinutes(2)));

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void fullUserIsRefusedWithoutTheDatabase() throws InterruptedException {
    scene.limit(1, 1);
    fill();
    int places = scene.stores.places();
    SendResult.LimitedEarly limited = (SendResult.LimitedEarly) scene.send(1, "hello");
    assertThat(limited.limit()).isEqualTo(FixedWindow.of(1, SendScene.WINDOW));
    assertThat(limited.decision().retryAfterMicros()).isEqualTo(1_000_000);
    assertThat(scene.stores.places()).isEqualTo(places);
  }

  @Test
  void userWithHoursIsNeverRefusedWithoutTheDatabase() {
    var unused =
        scene.notifications.configure(
            new UserLimit(
                1,
                1,
                SendScene.WINDOW,
                UserLimit.Algorithm.FIXED_WINDOW,
                UserLimit.CostBy.MESSAGE,
                NotificationsTest.MONDAY_FROM_8));
    assertThat(scene.send(1, "hello")).isInstanceOf(SendResult.Closed.class);
    assertThat(counts.entry(1)).isNull();
    assertThat(counts.learned).isEmpty();
  }

  @Test
  void requestWithKeyGoesToTheDatabaseEvenIfTheUserIsFull() throws InterruptedException {
    scene.limit(1, 1);
    SendResult.Answer first = scene.send(1, "hello", "key");
    awaitLearned(0);
    assertThat(first).isInstanceOf(SendResult.Sent.class);
    assertThat(scene.send(1, "hello", "key")).isInstanceOf(SendResult.Sent.class);
  }

  @Test
  void withoutTheStoreTheDatabaseDecides() throws InterruptedException {
    scene.limit(1, 2);
    counts.setDown(true);
    assertThat(scene.send(1, "one")).isInstanceOf(SendResult.Sent.class);
    assertThat(scene.send(1, "two")).isInstanceOf(SendResult.Sent.class);
    SendResult.Limited limited = (SendResult.Limited) scene.send(1, "three");
    assertThat(limited.state().limit().limit()).isEqualTo(FixedWindow.of(2, SendScene.WINDOW));
    assertThat(scene.count(1)).isEqualTo(2);
  }

  @Test
  void limitThatWasChangedDuringAnOutageIsNotRefusedByItsOldEntry() throws InterruptedException {
    scene.limit(2, 1_000_000);
    scene.limit(1, 1);
    fill();
    counts.setDown(true);
    scene.limit(1, 5);
    assertThat(counts.entry(1).limit().rateLimit()).isEqualTo(1);
    counts.setDown(false);
    useAgain();
    assertThat(scene.send(1, "hello")).isInstanceOf(SendResult.Sent.class);
    // The old entry is dropped as soon as the store is back.
    assertThat(counts.forgotten.poll(2, TimeUnit.MINUTES)).isEqualTo(1L);
  }

  @Test
  void changeByAnotherNodeDropsTheEntry() throws InterruptedException {
    scene.limit(1, 1);
    fill();
    UserState changed = scene.stores.configure(UserLimit.of(1, 5, SendScene.WINDOW));
    scene.hot.changed(1, changed.version());
    assertThat(scene.send(1, "hello")).isInstanceOf(SendResult.Sent.class);
  }

  @Test
  void userIsForgottenIfTheDatabaseDidNotDecide() {
    scene.limit(1, 1);
    counts.forgotten.clear();
    scene.stores.setDown(true);
    assertThatThrownBy(() -> scene.send(1, "hello")).isInstanceOf(StoreException.class);
    assertThat(counts.forgotten).containsExactly(1L);
    scene.stores.setDown(false);
    assertThat(scene.send(1, "hello")).isInstanceOf(SendResult.Sent.class);
  }

  @Test
  void messageThatTheStoreHasCountedIsNotLearned() throws InterruptedException {
    scene.limit(1, 5);
    scene.limit(2, 5);
    counts.count(1);
    counts.learned.clear();
    assertThat(scene.send(1, "hello")).isInstanceOf(SendResult.Sent.class);
    assertThat(scene.send(2, "hello")).isInstanceOf(SendResult.Sent.class);
    // States are learned in order, or together.
    awaitLearned(4);
    assertThat(counts.entry(1).revision()).isEqualTo(1);
    assertThat(counts.entry(2).revision()).isEqualTo(2);
  }

  @Test
  void placeThatIsGivenBackIsFreeForTheNextRequest() {
    scene.limit(1, 1);
    broker.behave(ScriptedPublisher.Behaviour.REJECTS);
    assertThat(scene.send(1, "hello")).isInstanceOf(SendResult.BrokerRefused.class);
    broker.behave(ScriptedPublisher.Behaviour.TAKES);
    assertThat(scene.send(1, "hello")).isInstanceOf(SendResult.Sent.class);
  }

  /** The filter has counted what the database then refused, without a change of the state. */
  @Test
  void placeThatARefusedRequestHasNotTakenIsFreeForTheNextRequest() {
    scene.notifications.configure(
        new UserLimit(
            1,
            1,
            SendScene.WINDOW,
            UserLimit.Algorithm.FIXED_WINDOW,
            UserLimit.CostBy.MESSAGE,
            NotificationsTest.MONDAY_FROM_8));
    assertThat(scene.send(1, "hello")).isInstanceOf(SendResult.Closed.class);
    scene.stores.clock.move(Duration.ofHours(20));
    assertThat(scene.send(1, "hello")).isInstanceOf(SendResult.Sent.class);
  }

  /** Uses the limit up, and waits until the store knows. */
  private void fill() throws InterruptedException {
    assertThat(scene.send(1, "hello")).isInstanceOf(SendResult.Sent.class);
    awaitLearned(0);
    counts.forgotten.clear();
  }

  /** Sends messages of user 2 until the filter uses its store again. */
  private void useAgain() {
    int answered = counts.answered();
    while (counts.answered() == answered) {
      assertThat(scene.send(2, "hello")).isInstanceOf(SendResult.Sent.class);
    }
  }

  private void awaitLearned(long remaining) throws InterruptedException {
    UserState learned;
    do {
      learned = counts.learned.poll(2, TimeUnit.MINUTES);
      assertThat(learned).as("a state with %d left", remaining).isNotNull();
    } while (learned.remaining() != remaining || learned.revision() == 1);
  }
}
