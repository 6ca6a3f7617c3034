package dev.weir.store.surrealdb;

import dev.weir.StoreException;
import dev.weir.StoreException.Outcome;
import dev.weir.limits.StoreHistory;
import dev.weir.limits.internal.LimitSweep;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A connection to a SurrealDB server, 3.0 or later, shared by stores. Thread-safe.
 *
 * <p>It connects on first use, so that a node starts while SurrealDB is down, and creates the
 * tables that are missing. The caller that opened it closes it, after the stores.
 */
public final class SurrealDb implements AutoCloseable {
  /** The name of the store in its failures. */
  static final String STORE = "surrealdb";

  /** Creating tables takes longer than a decision. */
  private static final Duration PREPARE_TIMEOUT = Duration.ofMinutes(1);

  /** Max attempts at a transaction that conflicts with others. */
  private static final int MAX_ATTEMPTS = 50;

  private static final Duration MIN_PAUSE = Duration.ofMillis(1);
  private static final int MAX_DOUBLINGS = 5;

  /** The timeout of a query of the check, in timeouts of a call: its writers often conflict. */
  private static final int CALLS_OF_A_CHECK = 5;

  private static final int STEPS_OF_A_SWEEP = 100;

  private final SurrealDbSettings settings;
  private final StoreHistory history;
  private final Runnable conflicts;
  private final RpcClient client;
  private final ReentrantLock preparing = new ReentrantLock();
  private final LimitSweep sweep;

  /** True once this process has found the marker: if it is missing then, data was lost. */
  private volatile boolean wasPrepared;

  /** True once the storage engine is known to detect conflicts. Guarded by {@link #preparing}. */
  private boolean isChecked;

  /** True once the database is known to have the tables of this version, and is checked. */
  private volatile boolean isReady;

  private volatile boolean isAnomalous;

  SurrealDb(SurrealDbSettings settings, StoreHistory history, Runnable conflicts) {
    this.settings = settings;
    this.history = history;
    this.conflicts = conflicts;
    this.client = new RpcClient(settings, InstantSource.system());
    this.isChecked = settings.acceptsAnomalies();
    this.sweep = new LimitSweep(new SurrealDbUpkeep(this), STEPS_OF_A_SWEEP);
  }

  /**
   * Opens a connection without waiting for SurrealDB. An empty database in which this process has
   * not seen data is assumed to be new.
   */
  public static SurrealDb open(SurrealDbSettings settings) {
    return open(settings, StoreHistory.NONE);
  }

  /**
   * Returns the definitions of the tables in SurrealQL, with comments on what their fields hold.
   * They are executed on first use; this is for those who read the tables, or who have to approve
   * them.
   */
  public static String schema() {
    return Query.tables();
  }

  /**
   * Opens a connection without waiting for SurrealDB. Before its first use, it checks by a short
   * race that SurrealDB does not hand out the same token twice, as some versions do in memory and
   * on SurrealKV. It does not use one that does, unless the settings accept that.
   *
   * @param history remembers whether the database was used, so that a process that starts after
   *     SurrealDB has lost its data notices the loss as well
   */
  public static SurrealDb open(SurrealDbSettings settings, StoreHistory history) {
    return new SurrealDb(settings, history, () -> {});
  }

  /** Returns the name of this store in histories. */
  public String name() {
    return "surrealdb %s/%s".formatted(settings.namespace(), settings.database());
  }

  SurrealDbSettings settings() {
    return settings;
  }

  /**
   * Connects, creates what is missing, and checks that SurrealDB does not hand out the same token
   * twice.
   *
   * @throws StoreException if SurrealDB is unavailable, or {@link #isAnomalous}
   */
  public void check() {
    probe();
  }

  /** Returns true if SurrealDB was seen to hand out the same token twice, and is not used. */
  public boolean isAnomalous() {
    return isAnomalous;
  }

  /**
   * Removes buckets that are full, request ids and leases that have expired, in small steps, unless
   * another node is doing so. Call it about every half minute.
   */
  public void sweep() {
    sweep.run();
  }

  /** Writes to the database without counting anything. Throws if that fails. */
  void probe() {
    run(probeQuery());
  }

  private Query probeQuery() {
    return SurrealDbUpkeep.lock(settings, "probe", "any", Duration.ZERO);
  }

  /**
   * Runs a query, which is one transaction, and returns its result. Repeats it within a bound if it
   * conflicts with another transaction, and prepares the database if it lacks something.
   */
  Value run(Query query) {
    if (!isReady) {
      makeReady();
    }
    return runUnchecked(query, deadlineNanos(settings.timeout()));
  }

  private Value runUnchecked(Query query, long firstDeadlineNanos) {
    long deadlineNanos = firstDeadlineNanos;
    boolean isPrepared = false;
    for (int attempt = 1; ; attempt++) {
      switch (client.query(query, deadlineNanos)) {
        case Reply.Done done -> {
          wasPrepared = true;
          return done.value();
        }
        case Reply.Conflict conflict -> {
          conflicts.run();
          if (attempt >= MAX_ATTEMPTS) {
            throw RpcClient.failure(
                Outcome.NONE,
                "had conflicts in %d attempts, the last: %s"
                    .formatted(attempt, conflict.message()));
          }
          pause(attempt);
        }
        case Reply.Unprepared missing -> {
          if (isPrepared) {
            throw RpcClient.failure(Outcome.NONE, "cannot be prepared: " + missing.message());
          }
          prepare();
          isPrepared = true;
          deadlineNanos = deadlineNanos(settings.timeout());
        }
        case Reply.Rejected rejected ->
            throw RpcClient.failure(Outcome.NONE, "rejects the call: " + rejected.message());
        case Reply.Undecided undecided ->
            throw RpcClient.failure(Outcome.UNKNOWN, "failed at the end: " + undecided.message());
      }
    }
  }

  /** Waits for a random time, so that two nodes do not meet again. */
  private static void pause(int attempt) {
    LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(maxPause(attempt).toNanos()));
  }

  /** Returns how long to wait at most after an attempt: twice as long after each, up to a bound. */
  static Duration maxPause(int attempt) {
    return MIN_PAUSE.multipliedBy(1L << Math.min(attempt, MAX_DOUBLINGS));
  }

  /**
   * Creates tables and the marker. A database that was used before and has no marker has lost its
   * data.
   *
   * <p>The marker is created after the history has recorded the use. Nothing is granted without a
   * marker, so nothing can be lost of which the history does not know, whichever of the answers is
   * lost. The note of the first use tells whoever finds no marker after that from a loss.
   */
  private void prepare() {
    exclusively(
        () -> {
          long deadlineNanos = deadlineNanos(PREPARE_TIMEOUT);
          history.prepare(
              name(),
              past -> {
                runBare(Query.schema(settings), deadlineNanos);
                if (past.isFirstUse() && !wasPrepared) {
                  runBare(Query.firstUse(settings), deadlineNanos);
                }
              });
          runBare(Query.mark(settings), deadlineNanos);
        });
  }

  /** Runs a query that needs no preparation. Nothing is granted by it, answered or not. */
  private void runBare(Query query, long deadlineNanos) {
    for (int attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      switch (StoreException.whileReading(() -> client.query(query, deadlineNanos))) {
        case Reply.Done done -> {
          return;
        }
        case Reply.Conflict conflict -> pause(attempt);
        case Reply.Unprepared missing -> throw unprepared(missing.message());
        case Reply.Rejected rejected -> throw unprepared(rejected.message());
        case Reply.Undecided undecided -> throw unprepared(undecided.message());
      }
    }
    throw unprepared("conflicts with other nodes");
  }

  /** Nothing was granted, whatever became of the tables. */
  private static StoreException unprepared(String message) {
    return RpcClient.failure(Outcome.NONE, "cannot be prepared: " + message);
  }

  /**
   * Brings the tables of an earlier version up to date, and runs the race that an engine must pass
   * before it is used. One that has failed it once is not used by this process, because it may well
   * pass the next. An engine that hangs fails the first query, within the time of a call.
   */
  private void makeReady() {
    exclusively(
        () -> {
          if (!isReady && !isAnomalous) {
            StoreException.whileReading(
                () -> {
                  updateTables();
                  checkOnce();
                  return isAnomalous;
                });
            isReady = isChecked;
          }
        });
    if (isAnomalous) {
      throw RpcClient.failure(
          Outcome.NONE,
          "hands out the same token twice, as some versions do in memory and on SurrealKV: use"
              + " RocksDB, or accept that in the settings");
    }
  }

  private void updateTables() {
    Value applied = runUnchecked(Query.applied(settings), deadlineNanos(settings.timeout()));
    if (!Query.Script.SCHEMA.digest().equals(applied.content())) {
      runBare(Query.schema(settings), deadlineNanos(PREPARE_TIMEOUT));
    }
  }

  private void checkOnce() {
    if (!isChecked) {
      runUnchecked(probeQuery(), deadlineNanos(settings.timeout()));
      Duration maxWait = settings.timeout().multipliedBy(CALLS_OF_A_CHECK);
      RaceCheck check =
          new RaceCheck(query -> runUnchecked(query, deadlineNanos(maxWait)), settings);
      isAnomalous = check.isAnomalous();
      isChecked = !isAnomalous;
    }
  }

  /** Waits for others no longer than for a call: they may be waiting for an engine that hangs. */
  private void exclusively(Runnable work) {
    try {
      if (!preparing.tryLock(settings.timeout().toNanos(), TimeUnit.NANOSECONDS)) {
        throw RpcClient.failure(Outcome.NONE, "is still being prepared");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw RpcClient.failure(Outcome.NONE, "was not called: interrupted");
    }
    try {
      work.run();
    } finally {
      preparing.unlock();
    }
  }

  private static long deadlineNanos(Duration timeout) {
    return System.nanoTime() + timeout.toNanos();
  }

  /** Closes all connections; calls in progress fail. */
  @Override
  public void close() {
    client.close();
  }
}
