package dev.weir.server.verify;

import dev.weir.internal.Micros;
import dev.weir.slots.SlotPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.BitSet;
import java.util.Optional;

/**
 * Checks that {@code slot_window} and {@code full_run} of the grid in force agree with the slots,
 * for a time span.
 *
 * <p>A slot from windows of the same size must have its bit. A slot from windows of another size,
 * or one that was adopted, lies between the places and has some bit, but it is unknown afterwards
 * which; such slots are counted.
 */
final class WindowsCheck implements SlotCheck, AutoCloseable {
  private final ConfigFact config;
  private final Findings findings;
  private final SlotPolicy policy;
  private final Vacancy vacancy;
  private final long nowMicros;
  private final StoredSpan span;
  private final Rows<WindowFact> windows;
  private final RunsCheck runs;

  private long startMicros;
  private final BitSet placed = new BitSet();
  private int offGrid;

  /**
   * Opens the stored windows and runs.
   *
   * @param span the time span to check, for which windows are stored
   */
  WindowsCheck(
      Connection connection, ConfigFact config, StoredSpan span, long nowMicros, Findings findings)
      throws SQLException {
    this.config = config;
    this.span = span;
    this.findings = findings;
    this.policy = config.inForce();
    this.vacancy = new Vacancy(policy);
    this.nowMicros = nowMicros;
    this.windows =
        Rows.of(
            connection,
            WindowFact::read,
            WindowFact.SELECT,
            config.configId(),
            config.grid(),
            span.fromMicros(),
            span.untilMicros());
    this.runs = new RunsCheck(connection, config, vacancy, span, findings);
  }

  @Override
  public void slot(SlotFact slot) throws SQLException {
    long start = policy.windowStart(slot.scheduledMicros());
    if (!slot.holds() || !span.covers(start)) {
      return;
    }
    if (start != startMicros) {
      endWindow();
      startMicros = start;
    }
    if (config.policy(slot.version()).windowMicros() == policy.windowMicros()
        && slot.place() >= 0) {
      placed.set(slot.place());
    } else {
      offGrid++;
    }
  }

  @Override
  public void end() throws SQLException {
    endWindow();
    skipTo(Long.MAX_VALUE);
    runs.end();
  }

  @Override
  public void close() throws SQLException {
    windows.close();
    runs.close();
  }

  private void endWindow() throws SQLException {
    if (!placed.isEmpty() || offGrid > 0) {
      skipTo(startMicros);
      Optional<WindowFact> stored = windows.peek();
      if (stored.isPresent() && stored.get().startMicros() == startMicros) {
        compare(stored.get());
        windows.take();
      } else {
        breach(
            startMicros,
            "holds %d events and is not stored".formatted(placed.cardinality() + offGrid));
      }
    }
    placed.clear();
    offGrid = 0;
  }

  /** Checks stored windows without events. */
  private void skipTo(long untilMicros) throws SQLException {
    BitSet kept = (BitSet) placed.clone();
    int keptOffGrid = offGrid;
    placed.clear();
    offGrid = 0;
    while (windows.peek().filter(next -> next.startMicros() < untilMicros).isPresent()) {
      compare(windows.take().orElseThrow());
    }
    placed.or(kept);
    offGrid = keptOffGrid;
  }

  private void compare(WindowFact stored) throws SQLException {
    findings.looked(Invariant.KEPT, "windows", 1);
    long start = stored.startMicros();
    if (stored.places().cardinality() != stored.taken()) {
      breach(
          start,
          "is recorded with %d events and has %d places taken"
              .formatted(stored.taken(), stored.places().cardinality()));
    }
    BitSet missing = (BitSet) placed.clone();
    missing.andNot(stored.places());
    if (!missing.isEmpty()) {
      breach(start, "has places " + missing + " free that events hold");
    }
    BitSet others = (BitSet) stored.places().clone();
    others.andNot(placed);
    // Places of slots that ended after their time may stay taken, because they cannot be used
    // again.
    boolean exact = !config.mayKeepEnded() || start > nowMicros;
    int extra = others.cardinality() - offGrid;
    if (extra < 0 || (exact && extra > 0)) {
      breach(
          start,
          "has %d places taken for %d events"
              .formatted(stored.taken(), placed.cardinality() + offGrid));
    }
    boolean left = vacancy.isLeft(start, stored.places());
    if (vacancy.opens(start) && stored.isFull() == left) {
      breach(
          start,
          stored.isFull() ? "is recorded as full and is not" : "is full and not recorded as full");
    }
    runs.window(stored, left);
  }

  private void breach(long start, String what) {
    findings.breach(
        Invariant.KEPT, "window %s of %s %s".formatted(Micros.instant(start), config.name(), what));
  }
}
