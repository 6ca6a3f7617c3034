package dev.weir.limits.internal;

import dev.weir.StoreException;
import dev.weir.TaskLog;
import dev.weir.limits.LimitStore;
import dev.weir.limits.Policy;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The policies that have changed and whose usages still have to be settled in the store, see {@link
 * LimitStore#settle}. They are owed until the store has done it, by the owner of an upkeep thread
 * that calls {@link #settleOwed} about every second. Thread-safe.
 */
public final class Settlements {
  /** The maximum number of settlements that are owed; beyond it, the oldest is dropped. */
  static final int MAX_OWED = 10_000;

  /** How often a policy may change while it is settled; the rest is left to its other changes. */
  private static final int MAX_CHANGES = 10;

  /** How long a caller waits; with very many keys, settling them continues after it. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(10);

  private final LimitStore store;
  private final long againNanos;
  private final Duration maxWait;
  private final TaskLog log;
  private final LongSupplier nanoTime;
  private final ReentrantLock settling = new ReentrantLock();
  private final Map<Target, Owed> owed = new LinkedHashMap<>();

  /** The usages to settle: those of all keys of a policy, or of one. */
  private record Target(String policy, Optional<String> key) {}

  /**
   * A settlement.
   *
   * @param inForce reads the policy; empty if it was removed
   * @param isRepeated true to settle once more when all nodes know the change
   */
  private record Owed(Supplier<Optional<Policy>> inForce, long dueAtNanos, boolean isRepeated) {}

  /**
   * Creates an empty list.
   *
   * @param untilAllKnow the time after which all nodes know a changed definition
   */
  public Settlements(LimitStore store, Duration untilAllKnow, TaskLog log, LongSupplier nanoTime) {
    this(store, untilAllKnow, log, nanoTime, MAX_WAIT);
  }

  /**
   * Creates an empty list.
   *
   * @param untilAllKnow the time after which all nodes know a changed definition
   * @param maxWait how long the caller of {@link #settleNow} waits
   */
  public Settlements(
      LimitStore store,
      Duration untilAllKnow,
      TaskLog log,
      LongSupplier nanoTime,
      Duration maxWait) {
    this.store = store;
    this.maxWait = maxWait;
    this.againNanos = untilAllKnow.toNanos();
    this.log = log;
    this.nanoTime = nanoTime;
  }

  /** Owes the settlement of all keys of a policy. Every node that has used the former one does. */
  public void owe(Policy policy) {
    put(new Target(policy.name(), Optional.empty()), () -> Optional.of(policy), false);
  }

  /**
   * Owes the settlement of one key, and once more when all nodes know the change: until then they
   * may decide by the former numbers.
   *
   * @param inForce reads the policy that is in force for all nodes; empty if it was removed.
   *     Another node may have changed it again, and settled the key by that: settling by the
   *     numbers of this change would put them in force again
   */
  public void owe(String policy, String key, Supplier<Optional<Policy>> inForce) {
    put(new Target(policy, Optional.of(key)), inForce, true);
  }

  private void put(Target target, Supplier<Optional<Policy>> inForce, boolean isRepeated) {
    boolean isFull;
    synchronized (owed) {
      owed.remove(target);
      isFull = owed.size() >= MAX_OWED;
      if (isFull) {
        owed.remove(owed.keySet().iterator().next());
      }
      owed.put(target, new Owed(inForce, nanoTime.getAsLong(), isRepeated));
    }
    if (isFull) {
      log.warn()
          .accept(
              "More than %d changed limits wait for the store; the oldest will be settled by its"
                      .formatted(MAX_OWED)
                  + " next request");
    }
  }

  /**
   * Settles what is due, and returns when that is done; after a while even if it is not. What the
   * store cannot do now stays owed.
   */
  public void settleNow() {
    Thread worker = Thread.ofVirtual().name("weir-settlement").start(this::trySettle);
    try {
      worker.join(maxWait);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void trySettle() {
    try {
      settleOwed();
    } catch (StoreException e) {
      log.warn()
          .accept("Changed limits are settled as soon as the store is back: " + e.getMessage());
    }
  }

  /**
   * Settles what is due.
   *
   * @throws StoreException if the store is unavailable; the rest stays owed
   */
  public void settleOwed() {
    settling.lock();
    try {
      for (Target target : due()) {
        settle(target);
      }
    } finally {
      settling.unlock();
    }
  }

  private List<Target> due() {
    long now = nanoTime.getAsLong();
    synchronized (owed) {
      return owed.entrySet().stream()
          .filter(entry -> entry.getValue().dueAtNanos() - now <= 0)
          .map(Map.Entry::getKey)
          .toList();
    }
  }

  private void settle(Target target) {
    @Nullable Owed due;
    synchronized (owed) {
      due = owed.get(target);
    }
    if (due == null) {
      return;
    }
    try {
      settleByWhatIsInForce(target, due.inForce());
    } catch (StoreException e) {
      // The others first next time: this one may fail each time, as one with very many keys may.
      putLast(target, due);
      throw e;
    } catch (RuntimeException e) {
      // It would fail again: the next request of each key settles it.
      log.error().accept("The usage of %s is not settled".formatted(target.policy()), e);
    }
    done(target, due);
  }

  /**
   * Settles again if the policy has changed meanwhile: the other change may have settled before.
   */
  private void settleByWhatIsInForce(Target target, Supplier<Optional<Policy>> inForce) {
    Optional<Policy> policy = inForce.get();
    for (int i = 0; i < MAX_CHANGES && policy.isPresent(); i++) {
      Policy settled = policy.get();
      target.key().ifPresentOrElse(key -> store.settle(settled, key), () -> store.settle(settled));
      policy = inForce.get().filter(latest -> !latest.equals(settled));
    }
  }

  private void putLast(Target target, Owed failed) {
    synchronized (owed) {
      if (failed.equals(owed.get(target))) {
        owed.remove(target);
        owed.put(target, failed);
      }
    }
  }

  private void done(Target target, Owed settled) {
    synchronized (owed) {
      // It may have changed again meanwhile.
      if (settled.equals(owed.get(target))) {
        owed.remove(target);
        if (settled.isRepeated()) {
          owed.put(target, new Owed(settled.inForce(), nanoTime.getAsLong() + againNanos, false));
        }
      }
    }
  }

  /** Returns the number of settlements that are owed, including those that are not due yet. */
  public int size() {
    synchronized (owed) {
      return owed.size();
    }
  }
}
