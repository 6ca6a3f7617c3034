package dev.weir.store.jdbc.slots.internal;

import dev.weir.StoreException;
import dev.weir.store.jdbc.internal.Timeouts;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A queue of callers that need the lock of a configuration while another transaction holds it.
 * Thread-safe; callers should be virtual threads.
 *
 * <p>A transaction that waits for a lock keeps a connection. Only a few transactions of each
 * configuration, and a bounded number in all, wait in the database; the other callers wait here,
 * without a connection. So one locked configuration does not use up the connections.
 */
final class LockQueue {
  private static final Duration MAX_WAIT = Timeouts.LOCK;

  private static final int MAX_CALLERS = 20_000;

  private final int perConfig;
  private final Semaphore connections;
  private final Duration maxWait;
  private final Map<String, Turns> turns = new HashMap<>();
  private int callers;

  /** The turns of one configuration; exists while callers use or wait for them. */
  private static final class Turns {
    final Semaphore free;
    int callers;

    Turns(int permits) {
      this.free = new Semaphore(permits, true);
    }
  }

  /**
   * @param perConfig max concurrent transactions of one configuration. Two keep the lock busy: one
   *     waits in the database while the other runs
   * @param connections max concurrent transactions of all configurations
   */
  LockQueue(int perConfig, int connections) {
    this(perConfig, connections, MAX_WAIT);
  }

  /**
   * @param maxWait how long a caller waits for its turn
   */
  LockQueue(int perConfig, int connections, Duration maxWait) {
    if (perConfig < 1 || connections < 1) {
      throw new IllegalArgumentException(
          "perConfig %d and connections %d must be at least 1".formatted(perConfig, connections));
    }
    this.perConfig = perConfig;
    this.connections = new Semaphore(connections, true);
    this.maxWait = maxWait;
  }

  /** Returns true if callers use or wait for a turn of this configuration. */
  synchronized boolean isUsed(String configName) {
    return turns.containsKey(configName);
  }

  /**
   * Waits for a turn and runs a transaction.
   *
   * @throws StoreException if the turn does not come in time; then nothing was done
   */
  <T> T run(String configName, Supplier<T> transaction) {
    Turns ofConfig = enter(configName);
    try {
      long deadline = System.nanoTime() + maxWait.toNanos();
      acquire(ofConfig.free, deadline, configName);
      try {
        acquire(connections, deadline, configName);
        try {
          return transaction.get();
        } finally {
          connections.release();
        }
      } finally {
        ofConfig.free.release();
      }
    } finally {
      leave(configName, ofConfig);
    }
  }

  private synchronized Turns enter(String configName) {
    if (callers >= MAX_CALLERS) {
      throw new StoreException(
          StoreException.Outcome.NONE,
          "overloaded: more than %d requests wait for locked configurations"
              .formatted(MAX_CALLERS));
    }
    callers++;
    Turns ofConfig = turns.computeIfAbsent(configName, any -> new Turns(perConfig));
    ofConfig.callers++;
    return ofConfig;
  }

  private synchronized void leave(String configName, Turns ofConfig) {
    callers--;
    ofConfig.callers--;
    if (ofConfig.callers == 0) {
      turns.remove(configName);
    }
  }

  private static void acquire(Semaphore semaphore, long deadline, String configName) {
    try {
      if (!semaphore.tryAcquire(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        throw notInTime(configName);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw notInTime(configName);
    }
  }

  private static StoreException notInTime(String configName) {
    return new StoreException(
        StoreException.Outcome.NONE,
        "configuration %s was locked by other transactions for too long".formatted(configName));
  }
}
