package dev.weir.store.jdbc.slots.internal;

import dev.weir.internal.Micros;
import dev.weir.slots.ForecastResult;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotQuery;
import dev.weir.slots.SlotState;
import dev.weir.slots.WindowCount;
import dev.weir.slots.WindowQuery;
import dev.weir.slots.internal.ForecastRun;
import dev.weir.slots.planning.internal.Forecast;
import dev.weir.slots.planning.internal.PlacementRequest;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Reads slots and windows without locks. */
final class SlotReads {
  private static final String STORED_WINDOWS =
      """
      select start_micros, taken from slot_window
      where config_id = ? and grid = ? and start_micros >= ? and start_micros < ? and taken > 0
      order by start_micros fetch first ? rows only
      """;

  private SlotReads() {}

  static Optional<Slot> find(Connection connection, String eventId) throws SQLException {
    return Sql.first(
        connection,
        SlotRow::read,
        "select " + SlotRow.COLUMNS + SlotRow.FROM + " where s.event_id = ?",
        eventId);
  }

  /** Reads one range of the index for each state, and merges them. */
  static List<Slot> list(
      SlotDialect dialect, Connection connection, SlotQuery query, long nowMicros)
      throws SQLException {
    long begin = fromMicros(query.from());
    long cursor =
        query.after().map(after -> Micros.clamped(after.scheduledTime())).orElse(Micros.EARLIEST);
    String afterId =
        query.after().filter(after -> cursor >= begin).map(SlotQuery.Cursor::eventId).orElse("");
    boolean leaked = query.filter() == SlotQuery.Filter.LEAKED;
    long until = untilMicros(query.until());
    List<Slot> slots = new ArrayList<>();
    for (SlotState state : states(query.filter())) {
      slots.addAll(
          dialect.list(
              connection,
              new SlotDialect.SlotRange(
                  query.configName(),
                  state,
                  Math.max(begin, cursor),
                  afterId,
                  leaked ? Math.min(until, nowMicros) : until,
                  query.limit())));
    }
    return slots.stream()
        .sorted(Comparator.comparing(SlotQuery.Cursor::of))
        .limit(query.limit())
        .toList();
  }

  private static List<SlotState> states(SlotQuery.Filter filter) {
    return switch (filter) {
      case ALL -> List.of(SlotState.values());
      case ASSIGNED, LEAKED -> List.of(SlotState.ASSIGNED);
      case CONFIRMED -> List.of(SlotState.CONFIRMED);
      case CANCELLED -> List.of(SlotState.CANCELLED);
      case RECLAIMED -> List.of(SlotState.RECLAIMED);
    };
  }

  private static long fromMicros(Optional<Instant> from) {
    return from.map(Micros::clamped).orElse(Micros.EARLIEST);
  }

  /** Returns the exclusive end of a range; the latest possible time is included. */
  private static long untilMicros(Optional<Instant> until) {
    long micros = until.map(Micros::clamped).orElse(Micros.LATEST);
    return micros == Micros.LATEST ? micros + 1 : micros;
  }

  static List<WindowCount> windows(
      SlotDialect dialect, Connection connection, StoreClock clock, WindowQuery query)
      throws SQLException {
    Optional<ConfigRow> found = dialect.find(connection, clock, query.config().name());
    if (found.isEmpty()) {
      return List.of();
    }
    ConfigRow configRow = found.get();
    SlotPolicy policy = inForce(connection, configRow, query.config()).policy();
    long size = policy.windowMicros();
    long from = fromMicros(query.from());
    long until = untilMicros(query.until());
    List<WindowCount> past = List.of();
    if (from < configRow.sinceMicros()) {
      // The stored windows are not complete there: count the slots.
      past =
          dialect.countWindows(
              connection,
              new SlotDialect.WindowRange(
                  configRow.configId(),
                  size,
                  policy.windowStart(from - 1) + size,
                  Math.min(policy.windowStart(until + size - 1), configRow.sinceMicros()),
                  query.limit()));
    }
    List<WindowCount> ahead =
        Sql.list(
            connection,
            SlotReads::windowCount,
            STORED_WINDOWS,
            configRow.configId(),
            configRow.grid(),
            Math.max(from, configRow.sinceMicros()),
            until,
            query.limit());
    return Stream.concat(past.stream(), ahead.stream()).limit(query.limit()).toList();
  }

  /** Returns the version in force, which is read only if it is not the expected one. */
  private static SlotConfig inForce(Connection connection, ConfigRow configRow, SlotConfig expected)
      throws SQLException {
    return expected.version() == configRow.version()
        ? expected
        : ConfigVersionRow.inForce(connection, configRow);
  }

  static WindowCount windowCount(ResultSet row) throws SQLException {
    return new WindowCount(Micros.instant(row.getLong(1)), row.getInt(2));
  }

  static ForecastResult forecast(
      SlotDialect dialect,
      Connection connection,
      StoreClock clock,
      SlotConfig config,
      Instant from,
      long events)
      throws SQLException {
    ConfigRow configRow =
        dialect
            .find(connection, clock, config.name())
            .orElseThrow(
                () -> new IllegalArgumentException("configName " + config.name() + " is unknown"));
    SlotConfig inForce = inForce(connection, configRow, config);
    JdbcWindows windows = new JdbcWindows(dialect, connection, configRow, inForce);
    PlacementRequest request = new PlacementRequest(Micros.clamped(from), configRow.nowMicros());
    Forecast forecast = new Forecast(inForce.policy(), request, events);
    return ForecastRun.run(forecast, windows.view(), windows::pageOrCount);
  }
}
