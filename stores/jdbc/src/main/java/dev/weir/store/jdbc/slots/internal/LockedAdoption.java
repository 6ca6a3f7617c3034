package dev.weir.store.jdbc.slots.internal;

import dev.weir.internal.Micros;
import dev.weir.slots.AdoptRequest;
import dev.weir.slots.Overfull;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotState;
import dev.weir.slots.internal.AdoptionPlan;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.RandomStep;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Adopts events under lock: lock the configuration, look the events up, decide; write their slots,
 * and rebuild the windows that they are in. It is one transaction, so no other node assigns a place
 * that an adopted event takes: the sequence number of the configuration advances with it.
 */
final class LockedAdoption {
  private final SlotDialect dialect;
  private final StoreClock clock;
  private final NodeState state;

  LockedAdoption(SlotDialect dialect, StoreClock clock, NodeState state) {
    this.dialect = dialect;
    this.clock = clock;
    this.state = state;
  }

  /** Adopts events, unless windows have to be counted first. Does not commit. */
  AdoptionPlan adopt(
      Connection connection, String configName, List<AdoptRequest> requests, Overfull overfull)
      throws SQLException {
    Map<String, Slot> known = new HashMap<>();
    List<ConfigRow> rows =
        dialect.lockBatch(
            connection,
            new SlotDialect.BatchLock(
                List.of(configName),
                true,
                requests.stream().map(AdoptRequest::eventId).distinct().sorted().toList(),
                state.views(),
                clock),
            known);
    if (rows.isEmpty()) {
      return AdoptionPlan.withoutConfig(requests);
    }
    ConfigRow row = rows.getFirst();
    JdbcWindows windows =
        new JdbcWindows(dialect, connection, row, ConfigVersionRow.inForce(connection, row));
    AdoptionPlan plan =
        AdoptionPlan.of(requests, known, windows, overfull, Micros.instant(row.nowMicros()));
    if (plan.uncounted().isEmpty() && !plan.fresh().isEmpty()) {
      write(connection, windows, plan);
    }
    return plan;
  }

  /** Writes in portions, because there may be many windows and they may be large. */
  private void write(Connection connection, JdbcWindows windows, AdoptionPlan plan)
      throws SQLException {
    dialect
        .advancingWriter(List.of(windows), RandomStep.next())
        .slots(plan.fresh(), List.of(), Map.of(windows.config().name(), windows))
        .send(connection);
    List<String> confirmed =
        plan.fresh().stream()
            .filter(slot -> slot.state() == SlotState.CONFIRMED)
            .map(Slot::eventId)
            .sorted()
            .toList();
    if (!confirmed.isEmpty()) {
      dialect.setState(connection, confirmed, SlotState.CONFIRMED);
    }
    for (long start : plan.changedWindows()) {
      windows.rebuild(start);
      if (windows.isLarge()) {
        dialect.writer(List.of(windows)).send(connection);
        windows.trim();
      }
    }
    dialect.writer(List.of(windows)).send(connection);
  }
}
