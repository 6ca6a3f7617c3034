package dev.weir.store.jdbc.slots.internal;

import dev.weir.core.internal.Micros;
import dev.weir.core.slots.SlotPolicy;
import dev.weir.engine.slots.SlotConfig;
import dev.weir.engine.slots.SlotConfigs;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Channel;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;
import javax.sql.DataSource;

/**
 * Slot configurations in PostgreSQL. A change is one transaction, and every node is notified of it.
 */
public final class JdbcSlotConfigs implements SlotConfigs {
  private final Transactions transactions;
  private final StoreClock clock;

  /** Bounds the connections in use: a change may wait for its lock, and then take long. */
  private final LockQueue changes;

  public JdbcSlotConfigs(DataSource database, StoreClock clock) {
    this(database, clock, 2);
  }

  /**
   * @param maxChanges max concurrent changes, each of a different configuration; further callers
   *     wait without a connection
   */
  public JdbcSlotConfigs(DataSource database, StoreClock clock, int maxChanges) {
    this.changes = new LockQueue(1, maxChanges);
    this.transactions = Transactions.waitingForLocks(database, () -> {});
    this.clock = clock;
  }

  @Override
  public SlotConfig configure(String name, SlotPolicy policy) {
    return changes.run(name, () -> configureIf(name, inForce -> true, policy).orElseThrow());
  }

  @Override
  public Optional<SlotConfig> configure(String name, int version, SlotPolicy policy) {
    return changes.run(name, () -> configureIf(name, inForce -> inForce == version, policy));
  }

  /**
   * Stores the next version.
   *
   * @param expected tests the version in force, which is 0 if there is none
   */
  private Optional<SlotConfig> configureIf(String name, IntPredicate expected, SlotPolicy policy) {
    return transactions.write(
        connection -> {
          Optional<ConfigRow> configRow = ConfigRow.lock(connection, clock, name);
          if (!expected.test(configRow.map(ConfigRow::version).orElse(0))) {
            return Optional.empty();
          }
          SlotConfig config =
              configRow.isPresent()
                  ? change(connection, configRow.get(), policy)
                  : create(connection, name, policy);
          Channel.SLOT_CONFIG.send(connection, name);
          return Optional.of(config);
        });
  }

  /** Creates a configuration unless one of that name exists. */
  public void createIfAbsent(String name, SlotPolicy policy) {
    transactions.write(
        connection ->
            ConfigRow.find(connection, clock, name).isPresent()
                ? Optional.empty()
                : Optional.of(create(connection, name, policy)));
  }

  @Override
  public Optional<SlotConfig> inForce(String name) {
    return transactions.read(
        connection ->
            Sql.first(
                connection,
                ConfigVersionRow::read,
                ConfigVersionRow.SELECT + "where c.name = ? and v.version = c.version",
                name));
  }

  @Override
  public List<SlotConfig> history(String name) {
    return transactions.read(
        connection ->
            Sql.list(
                connection,
                ConfigVersionRow::read,
                ConfigVersionRow.SELECT + "where c.name = ? order by v.version desc",
                name));
  }

  @Override
  public List<SlotConfig> active() {
    return transactions.read(
        connection ->
            Sql.list(
                connection,
                ConfigVersionRow::read,
                ConfigVersionRow.SELECT + "where v.version = c.version order by c.name"));
  }

  private SlotConfig create(Connection connection, String name, SlotPolicy policy)
      throws SQLException {
    // If two callers create the same name, the second violates the unique key, retries and finds
    // the configuration.
    int configId =
        Sql.first(
                connection,
                row -> row.getInt(1),
                "insert into slot_config (name, version, grid, since, seq)"
                    + " values (?, 1, 1, ?, 0) returning config_id",
                name,
                Long.MIN_VALUE)
            .orElseThrow();
    SlotConfig config = new SlotConfig(name, 1, policy, Micros.instant(Sql.now(connection, clock)));
    ConfigVersionRow.insert(connection, configId, config);
    return config;
  }

  private SlotConfig change(Connection connection, ConfigRow configRow, SlotPolicy policy)
      throws SQLException {
    SlotConfig before = ConfigVersionRow.inForce(connection, configRow);
    SlotConfig next =
        new SlotConfig(
            configRow.name(),
            configRow.version() + 1,
            policy,
            Micros.instant(configRow.nowMicros()));
    ConfigVersionRow.insert(connection, configRow.configId(), next);
    boolean newGrid = !policy.hasSameWindowsAs(before.policy());
    ConfigRow moved =
        newGrid ? configRow.onNextGrid(policy.windowStart(configRow.nowMicros())) : configRow;
    Sql.update(
        connection,
        "update slot_config set version = ?, grid = ?, since = ?, seq = seq + 1 where config_id ="
            + " ?",
        next.version(),
        moved.grid(),
        moved.sinceMicros(),
        configRow.configId());
    if (newGrid) {
      // Rebuild the windows from the current one on from their slots.
      JdbcWindows ahead = new JdbcWindows(connection, moved, next);
      ahead.regroupFrom(
          moved.sinceMicros(),
          () -> SlotWriter.of(List.of(ahead), OptimisticGuard.OPEN).send(connection));
    }
    return next;
  }
}
