package dev.weir.store.jdbc.slots;

import static java.util.Objects.requireNonNull;

import dev.weir.slots.SlotLedger;
import dev.weir.slots.SlotObserver;
import dev.weir.slots.SlotStore;
import dev.weir.store.jdbc.OraclePool;
import dev.weir.store.jdbc.PostgresqlPool;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.slots.internal.JdbcSlotConfigs;
import dev.weir.store.jdbc.slots.internal.JdbcSlotLedger;
import dev.weir.store.jdbc.slots.internal.JdbcSlotUpkeep;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;
import javax.sql.DataSource;

/** Creates slot stores in PostgreSQL or Oracle that use the caller's connections. */
public final class JdbcSlotStore {
  /** Thread-safe. */
  private static final RandomGenerator RANDOM = () -> ThreadLocalRandom.current().nextLong();

  private JdbcSlotStore() {}

  /**
   * Returns a store on a data source, which should pool its connections and stays open when the
   * store is closed. Creates or updates Weir's tables, whose names begin with {@code slot_}, in the
   * default schema.
   *
   * <p>Connections should have a {@code lock_timeout}, a {@code statement_timeout} and the driver's
   * {@code socketTimeout}, so that a caller is answered when the database hangs; {@link
   * PostgresqlPool#open} returns a pool with all of them. Sessions of Oracle must sort and compare
   * in binary, as those of {@link OraclePool#open} do.
   *
   * @throws dev.weir.StoreException if the tables cannot be created or updated
   */
  public static SlotStore on(DataSource database) {
    return builder(database).build();
  }

  /** Returns a store as {@link #on(DataSource)} does that reports contention to an observer. */
  public static SlotStore on(DataSource database, SlotObserver observer) {
    return builder(database).observer(observer).build();
  }

  /** Returns a builder of stores on a data source. */
  public static Builder builder(DataSource database) {
    return new Builder(database);
  }

  /** Builds stores; everything has a safe default. */
  public static final class Builder {
    private final DataSource database;
    private SlotObserver observer = SlotObserver.NONE;
    private boolean migrates = true;
    private boolean isSingleRoundTrip;
    private int poolSize = 16;

    private Builder(DataSource database) {
      this.database = requireNonNull(database, "database");
    }

    /**
     * Sets the receiver of {@link SlotObserver#contended}; everything else is reported by the
     * scheduler.
     */
    public Builder observer(SlotObserver other) {
      this.observer = requireNonNull(other, "observer");
      return this;
    }

    /** Sets whether the tables are created or updated; true by default. */
    public Builder migrate(boolean other) {
      this.migrates = other;
      return this;
    }

    /**
     * Sets the maximum number of connections of the data source; 16 by default. Confirmations and
     * cancellations that wait for locks of other transactions use up to a quarter of them, changes
     * of configurations up to an eighth.
     */
    public Builder poolSize(int connections) {
      if (connections < 1) {
        throw new IllegalArgumentException("poolSize must be at least 1, not " + connections);
      }
      this.poolSize = connections;
      return this;
    }

    /**
     * Sets whether Oracle gets small batches as one PL/SQL block, which is not proven on an Oracle
     * server; false by default.
     */
    public Builder singleRoundTrip(boolean other) {
      this.isSingleRoundTrip = other;
      return this;
    }

    /**
     * Opens the store.
     *
     * @throws dev.weir.StoreException if the tables cannot be created or updated
     */
    public SlotStore build() {
      Dialect dialect = Dialect.of(database);
      if (migrates) {
        migrate(dialect);
      }
      StoreClock clock = StoreClock.DATABASE;
      return SlotStore.of(
          ledger(dialect, clock),
          new JdbcSlotConfigs(dialect, database, clock, Math.clamp(poolSize / 8, 1, 8)),
          new JdbcSlotUpkeep(dialect, database, clock),
          () -> {});
    }

    private void migrate(Dialect dialect) {
      switch (dialect) {
        case POSTGRESQL -> PostgresqlPool.migrate(database);
        case ORACLE -> OraclePool.migrate(database);
      }
    }

    private SlotLedger ledger(Dialect dialect, StoreClock clock) {
      int maxWaiting = Math.clamp(poolSize / 4, 1, 16);
      return switch (dialect) {
        case POSTGRESQL ->
            new JdbcSlotLedger(dialect, database, clock, RANDOM, observer, maxWaiting);
        case ORACLE ->
            JdbcSlotLedger.inOracle(
                isSingleRoundTrip, database, clock, RANDOM, observer, maxWaiting);
      };
    }
  }
}
