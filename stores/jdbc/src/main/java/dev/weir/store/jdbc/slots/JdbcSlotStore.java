package dev.weir.store.jdbc.slots;

import dev.weir.slots.SlotObserver;
import dev.weir.slots.SlotScheduler;
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
    Dialect dialect = Dialect.of(database);
    switch (dialect) {
      case POSTGRESQL -> PostgresqlPool.migrate(database);
      case ORACLE -> OraclePool.migrate(database);
    }
    return SlotStore.of(
        new JdbcSlotLedger(
            dialect,
            database,
            StoreClock.DATABASE,
            RANDOM,
            SlotObserver.NONE,
            SlotScheduler.Settings.DEFAULT.maxSideLanes()),
        new JdbcSlotConfigs(dialect, database, StoreClock.DATABASE),
        new JdbcSlotUpkeep(dialect, database, StoreClock.DATABASE),
        () -> {});
  }
}
