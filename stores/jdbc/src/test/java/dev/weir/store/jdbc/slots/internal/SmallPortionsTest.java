package dev.weir.store.jdbc.slots.internal;

import dev.weir.internal.Micros;
import dev.weir.slots.SlotObserver;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.tck.slots.Node;
import java.time.InstantSource;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Runs the kit with a past that is counted in portions of two slots, so that there are many seams,
 * and with memory for hardly any views, so that they are trimmed all the time.
 */
final class SmallPortionsTest implements ShortLedgerKit {
  /** The portions are smaller as well. */
  @Override
  public int maxPerSecond() {
    return 2_000;
  }

  @Override
  public Supplier<Node> storeBy(InstantSource clock) {
    Database database = Database.get();
    AtomicInteger opened = new AtomicInteger();
    StoreClock time = databaseMicros -> Micros.ceil(clock.instant());
    return () -> {
      var pool = opened.getAndIncrement() % 2 == 0 ? database.pool() : database.otherPool();
      return new Node(
          new JdbcSlotLedger(
              SlotDialect.of(Dialect.POSTGRESQL),
              pool,
              time,
              new Random(1),
              SlotObserver.NONE,
              2,
              new NodeState(3_000),
              new LockQueue(1, 2, Database.MAX_WAIT)),
          PatientNodes.configs(Dialect.POSTGRESQL, pool, time),
          new JdbcSlotUpkeep(pool, time));
    };
  }
}
