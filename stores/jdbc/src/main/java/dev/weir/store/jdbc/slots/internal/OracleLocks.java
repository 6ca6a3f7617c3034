package dev.weir.store.jdbc.slots.internal;

import dev.weir.slots.Slot;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.InList;
import dev.weir.store.jdbc.internal.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Locks configurations in Oracle, and reads what has changed since the caller last saw them. */
final class OracleLocks {
  static final String WAIT = " " + Dialect.ORACLE.forUpdate();

  /**
   * The time of a statement is that of its start. If it took longer than this, it may have waited
   * for a lock, and the wait is added to the time.
   */
  private static final Duration MAX_AGE_OF_TIME = Duration.ofMillis(20);

  static final String CONFIGS =
      "select c.config_id, c.name, c.version, "
          + ConfigRow.VERSION_MICROS
          + ", c.grid, c.since, l.until_micros, "
          + Dialect.ORACLE.now()
          + " from slot_config c join slot_occupancy l on l.config_id = c.config_id and l.grid = 0"
          + " and l.kind = 0 and l.start_micros = 0 ";

  /** Selects no row of another table, which would be locked as well. */
  static final String LOCK_CONFIGS =
      "select /*+ index(l slot_occupancy_key) */ l.config_id, (select n.name from slot_config n where n.config_id = l.config_id),"
          + " l.until_micros, "
          + Dialect.ORACLE.now()
          + " from slot_occupancy l where l.grid = 0 and l.kind = 0 and l.start_micros = 0"
          + " and l.config_id in (select c.config_id from slot_config c where ";

  static final String LOCK_CONFIG = LOCK_CONFIGS + "c.name = ?)";

  static final String SKIP = " for update skip locked";

  private static final String LOOK_UP = "select " + SlotRow.COLUMNS + SlotRow.FROM + " where ";

  private OracleLocks() {}

  /** What the lock of a configuration shows. */
  private record Locked(int configId, String name, long seq, long databaseMicros) {
    static Locked read(ResultSet row) throws SQLException {
      return new Locked(
          row.getInt(1), row.getString(2), row.getLong(3), Dialect.ORACLE.micros(row, 4));
    }

    /** Adds the time that has passed since the time was read. */
    Locked later(long micros) {
      return new Locked(configId, name, seq, databaseMicros + micros);
    }
  }

  /**
   * A configuration whose sequence number is that of the cached view has not changed, so its row
   * need not be read.
   */
  static List<ConfigRow> lockBatch(
      Connection connection, SlotDialect.BatchLock lock, Map<String, Slot> known)
      throws SQLException {
    if (lock.configNames().isEmpty()) {
      return List.of();
    }
    List<Locked> locked = new ArrayList<>();
    for (InList portion : toLock(connection, lock.configNames())) {
      locked.addAll(lockPortion(connection, portion, lock.waits()));
    }
    List<ConfigRow> rows = configRows(connection, lock, locked);
    for (InList query : InList.queries(LOOK_UP, "s.event_id", lock.eventIds())) {
      Sql.list(connection, SlotRow::read, query.sql(), query.parameters().toArray())
          .forEach(slot -> known.put(slot.eventId(), slot));
    }
    return rows;
  }

  /**
   * Returns the conditions of the configurations to lock, in the order of their ids: portions by
   * name would be in another one, and two transactions could wait for each other.
   */
  private static List<InList> toLock(Connection connection, Collection<String> names)
      throws SQLException {
    if (names.size() <= InList.MAX_VALUES) {
      return InList.conditions("c.name", names);
    }
    Set<Integer> ids = new TreeSet<>();
    for (InList query :
        InList.queries("select c.config_id from slot_config c where ", "c.name", names)) {
      ids.addAll(
          Sql.list(connection, row -> row.getInt(1), query.sql(), query.parameters().toArray()));
    }
    return InList.conditions("c.config_id", ids);
  }

  private static List<Locked> lockPortion(Connection connection, InList configs, boolean waits)
      throws SQLException {
    long sentNanos = System.nanoTime();
    List<Locked> locked =
        Sql.list(
            connection,
            Locked::read,
            LOCK_CONFIGS + configs.sql() + ") order by l.config_id" + (waits ? WAIT : SKIP),
            configs.parameters().toArray());
    long nanos = System.nanoTime() - sentNanos;
    long lateMicros = nanos > MAX_AGE_OF_TIME.toNanos() ? nanos / 1_000 : 0;
    return locked.stream().map(config -> config.later(lateMicros)).toList();
  }

  private static List<ConfigRow> configRows(
      Connection connection, SlotDialect.BatchLock lock, List<Locked> locked) throws SQLException {
    List<ConfigRow> rows = new ArrayList<>();
    List<Integer> unknown = new ArrayList<>();
    for (Locked config : locked) {
      Optional<ConfigRow> cached =
          lock.views().rowOf(config.name()).filter(row -> row.seq() == config.seq());
      if (cached.isPresent()) {
        rows.add(cached.get().at(lock.clock().micros(config.databaseMicros())));
      } else {
        unknown.add(config.configId());
      }
    }
    for (InList ids : InList.conditions("c.config_id", unknown)) {
      rows.addAll(
          Sql.list(
              connection,
              row -> ConfigRow.read(row, Dialect.ORACLE, lock.clock()),
              CONFIGS + "where " + ids.sql(),
              ids.parameters().toArray()));
    }
    rows.sort(Comparator.comparingInt(ConfigRow::configId));
    return rows;
  }
}
