package dev.weir.store.jdbc.slots.internal;

import dev.weir.store.jdbc.Database;
import dev.weir.store.tck.slots.Node;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Runs the kit on the ledger in PostgreSQL: nodes with separate pools on one database. */
final class JdbcSlotLedgerTest implements ShortLedgerKit {
  @Override
  public Supplier<Node> storeBy(InstantSource clock) {
    Database database = Database.get();
    AtomicInteger opened = new AtomicInteger();
    return () ->
        Database.node(
            opened.getAndIncrement() % 2 == 0 ? database.pool() : database.otherPool(), clock);
  }
}
