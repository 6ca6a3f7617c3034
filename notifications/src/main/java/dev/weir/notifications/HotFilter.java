package dev.weir.notifications;

import dev.weir.StoreException;
import dev.weir.internal.Batcher;
import dev.weir.limits.CircuitBreaker;
import dev.weir.notifications.messages.HotCounts;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.UserState;
import dev.weir.slots.Calendar;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refuses requests over the limit by {@link HotCounts}, without the database, as long as that store
 * answers. While it does not, every request goes to the database; an outage is logged once when it
 * begins and once when it ends.
 *
 * <p>The states of users whose messages were accepted are stored in the background, the newest of
 * each user. If the entry of a user counts a message that has taken no place, it is corrected
 * before the caller has its answer, so that the next request finds the place free. Both may be lost
 * with the store: a user whose entry is stale is decided by the database soon.
 *
 * <p>A user whose limit was changed is refused only by entries of the new version, see {@link
 * LimitVersions}. Thread-safe.
 */
public final class HotFilter implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(HotFilter.class);
  private static final int MAX_BATCH = 256;
  private static final int MAX_WAITING = 20_000;
  private static final int MAX_TO_LEARN = 100_000;
  private static final Duration MAX_WAIT = Duration.ofSeconds(1);
  private static final Duration MAX_IDLE = Duration.ofSeconds(1);
  private static final Duration MAX_CLOSE = Duration.ofSeconds(5);

  private final HotCounts counts;
  private final CircuitBreaker breaker;
  private final LimitVersions versions = new LimitVersions();
  private final Batcher<HotCounts.Wanted, HotCounts.Checked> checking;
  private final Batcher<UserState, Boolean> correcting;
  private final Batcher<Long, Boolean> forgetting;
  private final Map<Long, UserState> toLearn = new ConcurrentHashMap<>();
  private final Signal work = new Signal();
  private final Thread learner;
  private volatile boolean isClosed;

  public HotFilter(HotCounts counts, CircuitBreaker.Settings settings) {
    this(counts, settings, MAX_WAIT);
  }

  /**
   * @param maxWait a request that waits longer for its turn goes to the database
   */
  public HotFilter(HotCounts counts, CircuitBreaker.Settings settings, Duration maxWait) {
    this.counts = counts;
    this.breaker =
        new CircuitBreaker(
            settings,
            () -> TimeUnit.NANOSECONDS.toMicros(System.nanoTime()),
            RandomGenerator.getDefault(),
            new OutageLog());
    this.checking =
        new Batcher<>(this::checkAll, MAX_BATCH, MAX_WAITING)
            .withMaxWait(maxWait)
            .withThread("weir-hot-check");
    this.correcting = new Batcher<>(this::correctAll, MAX_BATCH, MAX_WAITING).withMaxWait(maxWait);
    this.forgetting = new Batcher<>(this::forgetAll, MAX_BATCH, MAX_WAITING).withMaxWait(maxWait);
    this.learner = Thread.ofPlatform().daemon().name("weir-hot-counts").unstarted(this::learnAll);
    if (!isAbsent()) {
      learner.start();
    }
  }

  /** Returns a filter that refuses nothing. */
  public static HotFilter none() {
    return new HotFilter(new NoHotCounts(), CircuitBreaker.Settings.DEFAULT);
  }

  private boolean isAbsent() {
    return counts instanceof NoHotCounts;
  }

  HotCounts.Checked check(Message message) {
    if (isAbsent() || versions.isFull()) {
      return HotCounts.Passed.UNKNOWN;
    }
    long userId = message.userId();
    HotCounts.Wanted wanted =
        new HotCounts.Wanted(userId, message.parts(), versions.minVersion(userId));
    try {
      return checking.submit(List.of(wanted)).getFirst();
    } catch (StoreException e) {
      // No turn in time: the store hangs, and the database decides.
      return HotCounts.Passed.UNKNOWN;
    }
  }

  private List<HotCounts.Checked> checkAll(List<HotCounts.Wanted> wanted) {
    if (!breaker.mayTry()) {
      return undecided(wanted);
    }
    try {
      List<HotCounts.Checked> checked = counts.check(wanted);
      breaker.succeeded();
      return checked;
    } catch (RuntimeException e) {
      failed(e);
      return undecided(wanted);
    }
  }

  private static List<HotCounts.Checked> undecided(List<HotCounts.Wanted> wanted) {
    return Collections.nCopies(wanted.size(), HotCounts.Passed.UNKNOWN);
  }

  /** Stores what the database returned, some time later. */
  void learn(UserState state) {
    if (isAbsent() || hasHours(state) || toLearn.size() >= MAX_TO_LEARN) {
      return;
    }
    toLearn.merge(state.limit().userId(), state, HotFilter::newer);
    work.give();
  }

  /**
   * Stores the state of a user after a request that has taken no place, or has given it back. The
   * entry counts the request no longer when this returns, unless the store fails.
   */
  void correct(UserState state) {
    if (!isAbsent() && !hasHours(state)) {
      submit(correcting, state);
    }
  }

  private List<Boolean> correctAll(List<UserState> states) {
    return apply(states, () -> counts.learn(states));
  }

  /** Drops what is stored for a user, because the database did not decide about a request. */
  void undecided(long userId) {
    if (!isAbsent()) {
      submit(forgetting, userId);
    }
  }

  private List<Boolean> forgetAll(List<Long> userIds) {
    return apply(userIds, () -> userIds.stream().distinct().forEach(counts::forget));
  }

  private static <T> void submit(Batcher<T, Boolean> batcher, T item) {
    try {
      var unused = batcher.submit(List.of(item));
    } catch (StoreException e) {
      // No turn in time: the store hangs, and its entry is not trusted for long.
      log.debug("An entry is not corrected: {}", e.getMessage());
    }
  }

  /** Runs a step of the store, unless the store is down; the entries correct themselves then. */
  private <T> List<Boolean> apply(List<T> items, Runnable step) {
    boolean isDone = false;
    if (breaker.mayTry()) {
      try {
        step.run();
        breaker.succeeded();
        isDone = true;
      } catch (RuntimeException e) {
        failed(e);
      }
    }
    return Collections.nCopies(items.size(), isDone);
  }

  /**
   * Notes that this node changed the limit of a user. If the store answers, the entry of the
   * earlier limit is gone for all nodes when this returns.
   */
  void configured(UserState state) {
    if (isAbsent()) {
      return;
    }
    long userId = state.limit().userId();
    versions.changed(userId, state.version());
    if (breaker.mayTry()) {
      try {
        drop(userId);
        if (!hasHours(state)) {
          counts.learn(List.of(state));
        }
        breaker.succeeded();
      } catch (RuntimeException e) {
        failed(e);
      }
    }
  }

  /**
   * Returns true if the user has hours. The counts do not know them, and a message outside of them
   * is refused or deferred for that reason, even if the limit is used up, so no entry is stored.
   */
  private static boolean hasHours(UserState state) {
    return !(state.limit().openHours() instanceof Calendar.Always);
  }

  private void drop(long userId) {
    long version = versions.minVersion(userId);
    counts.forget(userId);
    versions.dropped(userId, version);
  }

  /** Notes that another node changed the limit of a user. */
  public void changed(long userId, long version) {
    if (isAbsent()) {
      return;
    }
    versions.changed(userId, version);
    work.give();
  }

  private void learnAll() {
    while (!isClosed) {
      work.await(MAX_IDLE);
      try {
        learnOnce();
      } catch (RuntimeException | Error e) {
        // If this thread ended, nothing would be stored any more.
        log.error("Counts of users could not be stored", e);
      }
    }
  }

  private void learnOnce() {
    List<Long> changed = versions.pending(MAX_BATCH);
    List<UserState> states = removeSome();
    if (changed.isEmpty() && states.isEmpty()) {
      return;
    }
    if (!breaker.mayTry()) {
      return;
    }
    try {
      changed.forEach(this::drop);
      if (!states.isEmpty()) {
        counts.learn(states);
      }
      breaker.succeeded();
    } catch (RuntimeException e) {
      failed(e);
      return;
    }
    work.give();
  }

  private List<UserState> removeSome() {
    List<UserState> taken = new ArrayList<>();
    for (UserState state : toLearn.values().stream().limit(MAX_BATCH).toList()) {
      // A state that has just been replaced by a newer one stays for the next round.
      if (toLearn.remove(state.limit().userId(), state)) {
        taken.add(state);
      }
    }
    return taken;
  }

  private void failed(RuntimeException failure) {
    breaker.failed();
    if (!(failure instanceof StoreException)) {
      log.error("The hot counts failed, and the database decides", failure);
    }
  }

  private static UserState newer(UserState one, UserState other) {
    return other.revision() >= one.revision() ? other : one;
  }

  /** Stops, and waits for a step that is in progress. */
  @Override
  public void close() {
    isClosed = true;
    work.give();
    try {
      learner.join(MAX_CLOSE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
