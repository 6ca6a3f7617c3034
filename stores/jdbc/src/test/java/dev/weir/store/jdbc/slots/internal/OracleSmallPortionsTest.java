package dev.weir.store.jdbc.slots.internal;

import dev.weir.internal.Micros;
import dev.weir.slots.SlotObserver;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.OracleDatabase;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.tck.slots.Node;
import java.time.InstantSource;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import javax.sql.DataSource;

/** Runs the kit in Oracle with many seams in the past, and memory for hardly any views. */
final class OracleSmallPortionsTest implements OracleLedgerKit {
  @Override
  public Supplier<Node> storeBy(InstantSource clock) {
    OracleDatabase database = OracleDatabase.get();
    AtomicInteger opened = new AtomicInteger();
    StoreClock time = databaseMicros -> Micros.ceil(clock.instant());
    return () -> {
      DataSource pool = opened.getAndIncrement() % 2 == 0 ? database.pool() : database.otherPool();
      return new Node(
          new JdbcSlotLedger(
              new OracleSlots(false, 2),
              pool,
              time,
              new Random(1),
              SlotObserver.NONE,
              2,
              new NodeState(3_000),
              new LockQueue(1, 2, Database.MAX_WAIT)),
          PatientNodes.configs(Dialect.ORACLE, pool, time),
          new JdbcSlotUpkeep(Dialect.ORACLE, pool, time));
    };
  }
}
