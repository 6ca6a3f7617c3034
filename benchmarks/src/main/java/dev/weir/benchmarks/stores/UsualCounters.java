package dev.weir.benchmarks.stores;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/**
 * The comparator: a row for each window with the number of its events, as is usual in Oracle.
 *
 * <p>Every event is a separate transaction. It looks its id up, locks the first window that has
 * room and that no other transaction has locked ({@code NOWAIT}), counts, writes its slot and
 * commits. It never puts more than the limit into a window and never gives one id two slots. Unlike
 * Weir it may skip a window only because another transaction holds its lock.
 *
 * <p>It is meant to be a fair opponent: the rows of windows exist ahead, and windows that are known
 * to be full are not tried again. Thread-safe.
 */
final class UsualCounters {
  static final String TITLE = "usual counters";

  /** The lock is held: error numbers of Oracle and of H2. */
  private static final Set<Integer> LOCKED = Set.of(54, 50200);

  /** The id has a slot already: error numbers of Oracle and of H2. */
  private static final Set<Integer> DUPLICATE = Set.of(1, 23505);

  private static final List<String> TABLES =
      List.of(
          "drop table if exists event_slot",
          "drop table if exists window_counter",
          """
          create table event_slot (
            event_id varchar2(256 char) primary key,
            requested number(19) not null,
            window_start number(19) not null,
            scheduled number(19) not null,
            assigned_at number(19) not null)
          """,
          "create index event_slot_by_time on event_slot (scheduled)",
          """
          create table window_counter (
            window_start number(19) primary key,
            slot_count number(10) not null)
          """);

  private static final String CREATE_WINDOW =
      "insert into window_counter (window_start, slot_count) values (?, 0)";

  private static final String LOOK_UP = "select scheduled from event_slot where event_id = ?";

  private static final String LOCK =
      "select slot_count from window_counter where window_start = ? for update nowait";

  private static final String COUNT =
      "update window_counter set slot_count = slot_count + 1 where window_start = ?";

  private static final String WRITE =
      "insert into event_slot (event_id, requested, window_start, scheduled, assigned_at)"
          + " values (?, ?, ?, ?, ?)";

  private final DataSource pool;
  private final int maxPerWindow;
  private final long windowMicros;
  private final long firstMicros;

  /** All windows before this one are full. */
  private final AtomicLong firstWithRoom;

  private UsualCounters(DataSource pool, int maxPerWindow, Duration windowSize, Instant first) {
    this.pool = pool;
    this.maxPerWindow = maxPerWindow;
    this.windowMicros = windowSize.toNanos() / 1_000;
    this.firstMicros = ChronoUnit.MICROS.between(Instant.EPOCH, first);
    this.firstWithRoom = new AtomicLong(firstMicros);
  }

  /**
   * Creates the tables anew, with empty windows.
   *
   * @param pool connections without auto-commit
   * @param first the start of the first window
   * @param windows how many windows there are
   */
  static UsualCounters create(
      DataSource pool, int maxPerWindow, Duration windowSize, Instant first, int windows)
      throws SQLException {
    UsualCounters counters = new UsualCounters(pool, maxPerWindow, windowSize, first);
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : TABLES) {
        statement.execute(sql);
      }
      try (PreparedStatement insert = connection.prepareStatement(CREATE_WINDOW)) {
        for (int i = 0; i < windows; i++) {
          insert.setLong(1, counters.firstMicros + i * counters.windowMicros);
          insert.addBatch();
        }
        insert.executeBatch();
      }
      connection.commit();
    }
    return counters;
  }

  /**
   * Returns the time at which the event may run, the same for every call with the same id.
   *
   * @param requested not before the first window
   */
  Instant assign(String eventId, Instant requested) throws SQLException {
    long requestedMicros = ChronoUnit.MICROS.between(Instant.EPOCH, requested);
    try (Connection connection = pool.getConnection()) {
      try {
        return Instant.EPOCH.plus(assign(connection, eventId, requestedMicros), ChronoUnit.MICROS);
      } catch (SQLException e) {
        connection.rollback();
        if (DUPLICATE.contains(e.getErrorCode())) {
          return Instant.EPOCH.plus(lookUp(connection, eventId).orElseThrow(), ChronoUnit.MICROS);
        }
        throw e;
      }
    }
  }

  private long assign(Connection connection, String eventId, long requested) throws SQLException {
    OptionalLong known = lookUp(connection, eventId);
    if (known.isPresent()) {
      return known.getAsLong();
    }
    long window = claim(connection, requested);
    long scheduled =
        ThreadLocalRandom.current().nextLong(Math.max(window, requested), window + windowMicros);
    try (PreparedStatement statement = connection.prepareStatement(WRITE)) {
      statement.setString(1, eventId);
      statement.setLong(2, requested);
      statement.setLong(3, window);
      statement.setLong(4, scheduled);
      statement.setLong(5, ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
      statement.executeUpdate();
    }
    connection.commit();
    return scheduled;
  }

  private OptionalLong lookUp(Connection connection, String eventId) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(LOOK_UP)) {
      statement.setString(1, eventId);
      return single(statement);
    }
  }

  /** Counts an event in a window, whose row is locked then; returns its start. */
  private long claim(Connection connection, long requested) throws SQLException {
    long wanted = requested - Math.floorMod(requested - firstMicros, windowMicros);
    long window = Math.max(wanted, firstWithRoom.get());
    while (!hasRoom(connection, window)) {
      window += windowMicros;
    }
    try (PreparedStatement statement = connection.prepareStatement(COUNT)) {
      statement.setLong(1, window);
      statement.executeUpdate();
    }
    return window;
  }

  /** Locks a window if no other transaction has; returns true if it is locked and has room. */
  private boolean hasRoom(Connection connection, long window) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(LOCK)) {
      statement.setLong(1, window);
      long taken =
          single(statement).orElseThrow(() -> new IllegalStateException("more windows are needed"));
      if (taken < maxPerWindow) {
        return true;
      }
    } catch (SQLException e) {
      if (LOCKED.contains(e.getErrorCode())) {
        return false;
      }
      throw e;
    }
    // Release the lock of the full window.
    connection.rollback();
    firstWithRoom.compareAndSet(window, window + windowMicros);
    return false;
  }

  private static OptionalLong single(PreparedStatement query) throws SQLException {
    try (ResultSet result = query.executeQuery()) {
      return result.next() ? OptionalLong.of(result.getLong(1)) : OptionalLong.empty();
    }
  }
}
