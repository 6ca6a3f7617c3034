package dev.weir.store.jdbc.slots;

import dev.weir.engine.StoreException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Where callers wait that need the lock of a configuration which another transaction holds.
 * Thread-safe; callers are meant to be virtual threads.
 *
 * <p>A transaction that waits for a lock keeps a connection. Only a few transactions of each
 * configuration, and a bounded number in all, wait in the database; the other callers wait here,
 * without a connection. So one locked configuration leaves connections to the others.
 */
final class LockQueue {
  /** As long as the database lets a transaction wait for a lock. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(10);

  private static final int MAX_CALLERS = 20_000;

  private final int perConfig;
  private final Semaphore connections;
  private final Map<String, Turns> turns = new HashMap<>();
  private int callers;

  /** The turns of one configuration, for as long as a caller wants one. */
  private static final class Turns {
    final Semaphore free;
    int callers;

    Turns(int atATime) {
      this.free = new Semaphore(atATime, true);
    }
  }

  /**
   * @param perConfig max transactions of one configuration at a time. Two keep the lock in use: one
   *     waits in the database while the other one works
   * @param connections max transactions of all configurations at a time
   */
  LockQueue(int perConfig, int connections) {
    if (perConfig < 1 || connections < 1) {
      throw new IllegalArgumentException(
          "perConfig %d and connections %d must be at least 1".formatted(perConfig, connections));
    }
    this.perConfig = perConfig;
    this.connections = new Semaphore(connections, true);
  }

  /** Returns true if callers use or wait for a turn of this configuration. */
  synchronized boolean isUsed(String configName) {
    return turns.containsKey(configName);
  }

  /**
   * Runs a transaction when it has its turn.
   *
   * @throws StoreException if the turn does not come in time; then nothing was done
   */
  <T> T run(String configName, Supplier<T> transaction) {
    Turns ofConfig = enter(configName);
    try {
      long deadline = System.nanoTime() + MAX_WAIT.toNanos();
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
