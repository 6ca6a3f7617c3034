package dev.weir.server.verify;

import dev.weir.slots.SlotPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Runs {@link WindowsCheck} for one span after the other, including those before the grid's start.
 */
final class StoredSpansCheck implements SlotCheck, AutoCloseable {
  private final Connection connection;
  private final ConfigFact config;
  private final Findings findings;
  private final SlotPolicy policy;
  private final long nowMicros;
  private final Deque<StoredSpan> ahead;
  private StoredSpan span;
  private WindowsCheck windows;

  StoredSpansCheck(
      Connection connection, ConfigFact config, Verifier.Span checked, Findings findings)
      throws SQLException {
    this.connection = connection;
    this.config = config;
    this.findings = findings;
    this.policy = config.inForce();
    this.nowMicros = checked.nowMicros();
    this.ahead =
        new ArrayDeque<>(StoredSpan.all(connection, config, checked.fromMicros(), findings));
    this.span = ahead.pop();
    this.windows = new WindowsCheck(connection, config, span, nowMicros, findings);
  }

  @Override
  public void slot(SlotFact slot) throws SQLException {
    long start = policy.windowStart(slot.scheduledMicros());
    while (start >= span.untilMicros() && !ahead.isEmpty()) {
      next();
    }
    windows.slot(slot);
  }

  @Override
  public void end() throws SQLException {
    while (!ahead.isEmpty()) {
      next();
    }
    windows.end();
  }

  private void next() throws SQLException {
    windows.end();
    windows.close();
    span = ahead.pop();
    windows = new WindowsCheck(connection, config, span, nowMicros, findings);
  }

  @Override
  public void close() throws SQLException {
    windows.close();
  }
}
