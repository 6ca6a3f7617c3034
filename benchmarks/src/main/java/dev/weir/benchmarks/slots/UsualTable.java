package dev.weir.benchmarks.slots;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;

/**
 * The comparator: a slot table of the usual design, built with care.
 *
 * <p>Every event is a separate transaction. It looks its id up, claims a place in the earliest
 * window with room that no other transaction has locked, writes its slot and commits: four or five
 * round trips in the steady state. It never puts more than the limit into a window and never gives
 * one id two slots. Unlike Weir it may skip a window only because another transaction holds its
 * lock, and its times inside a window are random.
 *
 * <p>It is meant to be a fair opponent: statements are prepared on the server, counters are updated
 * in place (no index covers them, pages leave room for new versions), full first windows and
 * provisioned chunks are cached. Thread-safe.
 */
final class UsualTable {
  private static final int MAX_ATTEMPTS = 1_000;
  private static final int REMEMBERED = 10_000;

  private static final String LOOK_UP = "SELECT scheduled FROM usual.slot WHERE event_id = ?";

  private static final String WRITE_SLOT =
      """
      INSERT INTO usual.slot (event_id, config_id, requested, window_start, scheduled, assigned_at)
      VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (event_id) DO NOTHING
      """;

  private final DataSource pool;
  private final int configId;
  private final int maxPerWindow;
  private final long windowMicros;
  private final CounterRows counters;
  private final Frontier frontier;
  private final RememberedStarts fullFirstWindows = new RememberedStarts(REMEMBERED);

  /**
   * Opens the table for one configuration.
   *
   * @param pool connections without auto-commit, to a database where {@link UsualSchema} has
   *     created the tables for the same style
   */
  UsualTable(
      DataSource pool,
      CounterRows.Style style,
      int configId,
      int maxPerWindow,
      Duration windowSize) {
    if (maxPerWindow < 1) {
      throw new IllegalArgumentException("maxPerWindow must be at least 1, was " + maxPerWindow);
    }
    if (!windowSize.isPositive()) {
      throw new IllegalArgumentException("windowSize must be positive, was " + windowSize);
    }
    this.pool = pool;
    this.configId = configId;
    this.maxPerWindow = maxPerWindow;
    this.windowMicros = windowSize.toNanos() / 1_000;
    this.counters = new CounterRows(style, configId, maxPerWindow);
    this.frontier = new Frontier(configId, windowMicros);
  }

  /** Returns the time at which the event may run, the same for every call with the same id. */
  Instant assign(String eventId, Instant requested) throws SQLException {
    long requestedMicros = ChronoUnit.MICROS.between(Instant.EPOCH, requested);
    try (Connection connection = pool.getConnection()) {
      try {
        long scheduledMicros = assign(connection, eventId, requestedMicros);
        return Instant.EPOCH.plus(scheduledMicros, ChronoUnit.MICROS);
      } catch (SQLException | RuntimeException e) {
        connection.rollback();
        throw e;
      }
    }
  }

  private long assign(Connection connection, String eventId, long requested) throws SQLException {
    OptionalLong known = lookUp(connection, eventId);
    if (known.isPresent()) {
      connection.commit();
      return known.getAsLong();
    }
    long window = claim(connection, requested);
    long earliest = Math.max(window, requested);
    long scheduled = ThreadLocalRandom.current().nextLong(earliest, window + windowMicros);
    if (writeSlot(connection, eventId, requested, window, scheduled)) {
      connection.commit();
      return scheduled;
    }
    // A copy of the event was committed since the look-up: release the place and use its slot.
    connection.rollback();
    long theirs =
        lookUp(connection, eventId)
            .orElseThrow(() -> new IllegalStateException("slot vanished: " + eventId));
    connection.commit();
    return theirs;
  }

  private long claim(Connection connection, long requested) throws SQLException {
    long first = Math.floorDiv(requested, windowMicros) * windowMicros;
    frontier.reach(connection, first);
    if (!fullFirstWindows.contains(first)) {
      long remaining = first + windowMicros - requested;
      int places = Math.toIntExact(maxPerWindow * remaining / windowMicros);
      if (counters.claimFirst(connection, first, places)) {
        return first;
      }
      if (counters.isFull(connection, first)) {
        fullFirstWindows.add(first);
      }
    }
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      OptionalLong claimed = counters.claimEarliest(connection, first);
      if (claimed.isPresent()) {
        return claimed.getAsLong();
      }
      OptionalLong held = counters.scout(connection, first);
      if (held.isEmpty()) {
        frontier.advance(connection, first);
      } else if (counters.claimWaiting(connection, held.getAsLong())) {
        return held.getAsLong();
      }
    }
    throw new IllegalStateException("no place found in " + MAX_ATTEMPTS + " attempts");
  }

  private OptionalLong lookUp(Connection connection, String eventId) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(LOOK_UP)) {
      statement.setString(1, eventId);
      try (ResultSet result = statement.executeQuery()) {
        return result.next() ? OptionalLong.of(result.getLong(1)) : OptionalLong.empty();
      }
    }
  }

  private boolean writeSlot(
      Connection connection, String eventId, long requested, long window, long scheduled)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(WRITE_SLOT)) {
      statement.setString(1, eventId);
      statement.setInt(2, configId);
      statement.setLong(3, requested);
      statement.setLong(4, window);
      statement.setLong(5, scheduled);
      statement.setLong(6, ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
      return statement.executeUpdate() == 1;
    }
  }
}
