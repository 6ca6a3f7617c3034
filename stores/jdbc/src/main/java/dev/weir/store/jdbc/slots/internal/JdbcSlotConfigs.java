package dev.weir.store.jdbc.slots.internal;

import dev.weir.internal.Micros;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotConfigs;
import dev.weir.slots.SlotPolicy;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.clock.internal.ClockReading;
import dev.weir.store.jdbc.internal.Channel;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import dev.weir.store.jdbc.internal.UnknownZoneException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Slot configurations in the database. A change is one transaction, and every node is notified of
 * it.
 */
public final class JdbcSlotConfigs implements SlotConfigs {
  private static final Logger log = LoggerFactory.getLogger(JdbcSlotConfigs.class);

  private final SlotDialect dialect;
  private final Transactions transactions;
  private final StoreClock clock;

  /** Bounds the connections in use: a change may wait for its lock, and then take long. */
  private final LockQueue changes;

  /** Configurations in PostgreSQL. */
  public JdbcSlotConfigs(DataSource database, StoreClock clock) {
    this(Dialect.POSTGRESQL, database, clock);
  }

  public JdbcSlotConfigs(Dialect dialect, DataSource database, StoreClock clock) {
    this(dialect, database, clock, 2);
  }

  /**
   * @param maxChanges max concurrent changes, each of a different configuration; further callers
   *     wait without a connection
   */
  public JdbcSlotConfigs(Dialect dialect, DataSource database, StoreClock clock, int maxChanges) {
    this(dialect, database, clock, new LockQueue(1, maxChanges));
  }

  JdbcSlotConfigs(Dialect dialect, DataSource database, StoreClock clock, LockQueue changes) {
    this.dialect = SlotDialect.of(dialect);
    this.changes = changes;
    this.transactions = Transactions.waitingForLocks(dialect, database, () -> {});
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
          Optional<ConfigRow> configRow = dialect.lock(connection, clock, name);
          if (!expected.test(configRow.map(ConfigRow::version).orElse(0))) {
            return Optional.empty();
          }
          SlotConfig config =
              configRow.isPresent()
                  ? change(connection, configRow.get(), policy)
                  : create(connection, name, policy);
          Channel.SLOT_CONFIG.send(dialect.database(), connection, name);
          return Optional.of(config);
        });
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
                    JdbcSlotConfigs::ifReadable,
                    ConfigVersionRow.SELECT + "where v.version = c.version order by c.name")
                .stream()
                .flatMap(Optional::stream)
                .toList());
  }

  /** One configuration that this node cannot read must not hide all others from it. */
  private static Optional<SlotConfig> ifReadable(ResultSet row) throws SQLException {
    try {
      return Optional.of(ConfigVersionRow.read(row));
    } catch (UnknownZoneException e) {
      log.warn("Left out {}", e.getMessage());
      return Optional.empty();
    }
  }

  private SlotConfig create(Connection connection, String name, SlotPolicy policy)
      throws SQLException {
    // If two callers create the same name, the second violates the unique key, retries and finds
    // the configuration.
    int configId = dialect.create(connection, name);
    long nowMicros = ClockReading.now(connection, dialect.database(), clock);
    SlotConfig config = new SlotConfig(name, 1, policy, Micros.instant(nowMicros));
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
    dialect.change(connection, moved, next.version());
    if (newGrid) {
      // Rebuild the windows from the current one on from their slots.
      JdbcWindows ahead = new JdbcWindows(dialect, connection, moved, next);
      ahead.regroupFrom(moved.sinceMicros(), () -> dialect.writer(List.of(ahead)).send(connection));
    }
    return next;
  }
}
