package dev.weir.store.jdbc.slots.internal;

import dev.weir.slots.SlotObserver;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.tck.slots.Node;
import java.util.Random;
import javax.sql.DataSource;

/** Nodes whose callers wait in turn, however busy the machine is. */
public final class PatientNodes {
  private PatientNodes() {}

  public static Node open(
      Dialect dialect, DataSource connections, StoreClock time, SlotObserver observer) {
    return new Node(
        new JdbcSlotLedger(
            SlotDialect.of(dialect),
            connections,
            time,
            new Random(1),
            observer,
            PastCount.SLOTS_A_PORTION,
            new NodeState(),
            new LockQueue(2, 4, Database.MAX_WAIT)),
        configs(dialect, connections, time),
        new JdbcSlotUpkeep(dialect, connections, time));
  }

  static JdbcSlotConfigs configs(Dialect dialect, DataSource connections, StoreClock time) {
    return new JdbcSlotConfigs(dialect, connections, time, new LockQueue(1, 2, Database.MAX_WAIT));
  }
}
