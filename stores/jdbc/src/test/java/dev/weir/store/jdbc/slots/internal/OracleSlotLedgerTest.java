package dev.weir.store.jdbc.slots.internal;

import dev.weir.store.jdbc.OracleDatabase;
import dev.weir.store.tck.slots.Node;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Runs the kit on the ledger in Oracle: nodes with separate pools on one database. */
final class OracleSlotLedgerTest implements OracleLedgerKit {
  @Override
  public Supplier<Node> storeBy(InstantSource clock) {
    OracleDatabase database = OracleDatabase.get();
    AtomicInteger opened = new AtomicInteger();
    return () ->
        OracleDatabase.node(
            opened.getAndIncrement() % 2 == 0 ? database.pool() : database.otherPool(), clock);
  }
}
