package dev.weir.server.verify;

import dev.weir.internal.Micros;
import dev.weir.slots.SlotPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** A time span for which the windows and runs of the grid in force are stored. */
record StoredSpan(long fromMicros, long untilMicros) {
  private static final String COUNTED =
      """
      select from_micros, until_micros from counted_span
      where config_id = ? and grid = ? order by from_micros
      """;

  boolean covers(long startMicros) {
    return startMicros >= fromMicros && startMicros < untilMicros;
  }

  /**
   * Returns the spans of a configuration from a time on, in order: those that were counted, and
   * last the span from the start of the grid on.
   */
  static List<StoredSpan> all(
      Connection connection, ConfigFact config, long fromMicros, Findings findings)
      throws SQLException {
    List<StoredSpan> spans = new ArrayList<>();
    SlotPolicy policy = config.inForce();
    long before = Long.MIN_VALUE;
    try (Rows<StoredSpan> counted =
        Rows.of(
            connection,
            row -> new StoredSpan(row.getLong(1), row.getLong(2)),
            COUNTED,
            config.configId(),
            config.grid())) {
      while (counted.peek().isPresent()) {
        StoredSpan span = counted.take().orElseThrow();
        if (span.fromMicros >= span.untilMicros
            || span.fromMicros < before
            || span.untilMicros > config.sinceMicros()
            || policy.windowStart(span.fromMicros) != span.fromMicros
            || policy.windowStart(span.untilMicros) != span.untilMicros) {
          findings.breach(
              Invariant.KEPT,
              "%s has counted windows from %s to %s, which is impossible"
                  .formatted(
                      config.name(),
                      Micros.instant(span.fromMicros),
                      Micros.instant(span.untilMicros)));
        } else {
          before = span.untilMicros;
          add(spans, span, fromMicros);
        }
      }
    }
    spans.add(new StoredSpan(Math.max(config.sinceMicros(), fromMicros), Long.MAX_VALUE));
    return spans;
  }

  private static void add(List<StoredSpan> spans, StoredSpan span, long fromMicros) {
    if (span.untilMicros > fromMicros) {
      spans.add(new StoredSpan(Math.max(span.fromMicros, fromMicros), span.untilMicros));
    }
  }
}
