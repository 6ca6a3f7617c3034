package dev.weir.server.verify;

import dev.weir.internal.Micros;
import dev.weir.slots.SlotPolicy;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * Checks that the runs of full windows cover exactly the full windows. Receives the stored windows
 * of the grid in force in order of their start.
 */
final class RunsCheck implements AutoCloseable {
  private static final String SELECT =
      """
      select from_micros, until_micros from full_run
      where config_id = ? and grid = ? and until_micros > ? and from_micros < ?
      order by from_micros
      """;

  private final ConfigFact config;
  private final Vacancy vacancy;
  private final Findings findings;
  private final long fromMicros;
  private final long sizeMicros;
  private final Rows<Run> runs;

  /** The windows before this have been checked. */
  private long doneMicros;

  private record Run(long fromMicros, long untilMicros) {}

  RunsCheck(
      Connection connection, ConfigFact config, Vacancy vacancy, StoredSpan span, Findings findings)
      throws SQLException {
    this.config = config;
    this.vacancy = vacancy;
    this.findings = findings;
    this.fromMicros = span.fromMicros();
    this.doneMicros = fromMicros;
    this.sizeMicros = config.inForce().windowMicros();
    this.runs =
        Rows.of(
            connection,
            row -> new Run(row.getLong(1), row.getLong(2)),
            SELECT,
            config.configId(),
            config.grid(),
            fromMicros,
            span.untilMicros());
  }

  /**
   * Checks the next stored window.
   *
   * @param left whether it has room left
   */
  void window(WindowFact window, boolean left) throws SQLException {
    long start = window.startMicros();
    while (runs.peek().filter(run -> run.untilMicros() <= start).isPresent()) {
      endRun();
    }
    boolean covered = runs.peek().filter(run -> run.fromMicros() <= start).isPresent();
    if (covered) {
      lookAtEmpty(start);
      if (left) {
        breach(start, "is covered by a run and has a free place");
      }
      doneMicros = start + sizeMicros;
    } else if (!left && vacancy.opens(start)) {
      breach(start, "is full and no run covers it");
    }
  }

  void end() throws SQLException {
    while (runs.peek().isPresent()) {
      endRun();
    }
  }

  @Override
  public void close() throws SQLException {
    runs.close();
  }

  private void endRun() throws SQLException {
    Run run = runs.peek().orElseThrow();
    findings.looked(Invariant.KEPT, "runs of full windows", 1);
    SlotPolicy policy = config.inForce();
    long from = Math.max(run.fromMicros(), fromMicros);
    if (run.fromMicros() >= run.untilMicros() || policy.windowStart(from) != from) {
      breach(run.fromMicros(), "begins an impossible run until " + run.untilMicros());
    }
    lookAtEmpty(run.untilMicros());
    doneMicros = Math.max(doneMicros, run.untilMicros());
    runs.take();
    if (runs.peek().filter(next -> next.fromMicros() < run.untilMicros()).isPresent()) {
      breach(run.fromMicros(), "begins a run that overlaps the next");
    }
  }

  /**
   * Checks the windows of the current run up to a time, none of which is stored: they must be
   * closed.
   */
  private void lookAtEmpty(long untilMicros) {
    long begin = Math.max(doneMicros, runs.peek().orElseThrow().fromMicros());
    long vacant = vacancy.latestInEmpty(begin, untilMicros);
    if (vacant != Vacancy.NONE) {
      breach(config.inForce().windowStart(vacant), "is covered by a run and holds no event");
    }
  }

  private void breach(long start, String what) {
    findings.breach(
        Invariant.KEPT, "window %s of %s %s".formatted(Micros.instant(start), config.name(), what));
  }
}
