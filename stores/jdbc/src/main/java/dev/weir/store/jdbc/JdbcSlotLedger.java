package dev.weir.store.jdbc;

import dev.weir.core.Micros;
import dev.weir.engine.slots.Assignment;
import dev.weir.engine.slots.BatchPlan;
import dev.weir.engine.slots.Demand;
import dev.weir.engine.slots.Outlook;
import dev.weir.engine.slots.Patience;
import dev.weir.engine.slots.Reply;
import dev.weir.engine.slots.Slot;
import dev.weir.engine.slots.SlotConfig;
import dev.weir.engine.slots.SlotLedger;
import dev.weir.engine.slots.SlotObserver;
import dev.weir.engine.slots.SlotQuery;
import dev.weir.engine.slots.Transition;
import dev.weir.engine.slots.WindowCount;
import dev.weir.engine.slots.WindowQuery;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import javax.sql.DataSource;

/**
 * The ledger in PostgreSQL.
 *
 * <p>A batch is one statement if this node's pictures of the books are still true, else a
 * transaction under the books' locks. Either way the rows in {@code slot_book} are locked before
 * anything is written, so any number of nodes is right by construction.
 */
public final class JdbcSlotLedger implements SlotLedger {
  private final Transactions transactions;
  private final StoreClock clock;
  private final NodeMemory memory = new NodeMemory();
  private final AssignmentAtOnce atOnce;
  private final AssignmentUnderLock underLock;

  /**
   * @param random safe for use by several threads
   */
  public JdbcSlotLedger(
      DataSource database, StoreClock clock, RandomGenerator random, SlotObserver observer) {
    this.transactions = new Transactions(database, observer::contended);
    this.clock = clock;
    this.atOnce = new AssignmentAtOnce(clock, random, memory, observer::contended);
    this.underLock = new AssignmentUnderLock(clock, random, memory, observer::contended);
  }

  @Override
  public List<Assignment> assign(List<Demand> demands) {
    return batch(demands, Patience.FOR_LOCKS).answers();
  }

  @Override
  public List<Reply> attempt(List<Demand> demands, Patience patience) {
    return batch(demands, patience).replies();
  }

  private BatchPlan batch(List<Demand> demands, Patience patience) {
    Batch batch =
        atOnce
            .assign(transactions, demands, patience)
            .orElseGet(
                () ->
                    transactions.write(
                        connection -> underLock.assign(connection, demands, patience)));
    batch.bringBackPictures(memory.pictures());
    return batch.plan();
  }

  @Override
  public Transition confirm(String eventId) {
    return transactions.write(connection -> SlotEndings.confirm(connection, eventId));
  }

  @Override
  public Transition cancel(String eventId) {
    Transition transition =
        transactions.write(connection -> SlotEndings.cancel(connection, clock, eventId));
    if (transition instanceof Transition.Done done) {
      // Not true any more, by our own doing: nobody has to find out.
      memory.pictures().take(done.slot().configName());
    }
    return transition;
  }

  @Override
  public Optional<Slot> find(String eventId) {
    return transactions.read(connection -> SlotReads.find(connection, eventId));
  }

  @Override
  public List<Slot> list(SlotQuery query) {
    return transactions.snapshot(connection -> SlotReads.list(connection, query, now(connection)));
  }

  @Override
  public List<WindowCount> windows(WindowQuery query) {
    return transactions.snapshot(connection -> SlotReads.windows(connection, clock, query));
  }

  @Override
  public Outlook forecast(SlotConfig config, Instant from, long events) {
    // One transaction, so that all pages are of one state.
    return transactions.snapshot(
        connection -> SlotReads.forecast(connection, clock, config, from, events));
  }

  @Override
  public Instant now() {
    return transactions.read(connection -> Micros.instant(now(connection)));
  }

  private long now(Connection connection) throws SQLException {
    return Sql.now(connection, clock);
  }
}
