package dev.weir.store.jdbc;

import dev.weir.core.slots.Micros;
import dev.weir.engine.slots.Assignment;
import dev.weir.engine.slots.BatchPlan;
import dev.weir.engine.slots.Demand;
import dev.weir.engine.slots.Outlook;
import dev.weir.engine.slots.Slot;
import dev.weir.engine.slots.SlotConfig;
import dev.weir.engine.slots.SlotLedger;
import dev.weir.engine.slots.SlotObserver;
import dev.weir.engine.slots.SlotQuery;
import dev.weir.engine.slots.Transition;
import dev.weir.engine.slots.WindowCount;
import dev.weir.engine.slots.WindowQuery;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import javax.sql.DataSource;

/**
 * The ledger in PostgreSQL.
 *
 * <p>A batch is one transaction of three round trips: lock the books and look up known events,
 * write slots, windows and runs, commit. Between the first two the pure planner plans, from the
 * picture that this node kept if it is still true, else from what it reads. The lock is the
 * configuration's row in {@code slot_book}, so any number of nodes is right by construction.
 */
public final class JdbcSlotLedger implements SlotLedger {
  private static final String LOCK =
      "select "
          + BookRow.COLUMNS
          + " from slot_book b where b.name = any(?) order by b.config_id for update";

  /**
   * Two statements in one round trip. They must not be one: the second has to see what was
   * committed while the first waited for its locks.
   */
  private static final String LOCK_AND_LOOK_UP =
      LOCK + "; select " + SlotRow.COLUMNS + SlotRow.FROM + " where s.event_id = any(?)";

  private final Transactions transactions;
  private final StoreClock clock;
  private final RandomGenerator random;
  private final SlotObserver observer;
  private final PictureCache pictures = new PictureCache();
  private final Repeats repeats = new Repeats();

  public JdbcSlotLedger(
      DataSource database, StoreClock clock, RandomGenerator random, SlotObserver observer) {
    this.transactions = new Transactions(database, observer::contended);
    this.clock = clock;
    this.random = random;
    this.observer = observer;
  }

  @Override
  public List<Assignment> assign(List<Demand> demands) {
    Batch batch = transactions.write(connection -> assign(connection, demands));
    batch.bringBackPictures(pictures);
    return batch.plan().answers();
  }

  /**
   * A batch that was planned and written: its pictures are true once it is committed.
   *
   * @param step by how much it moved the books' numbers on
   */
  private record Batch(BatchPlan plan, Map<String, JdbcBook> books, int step) {
    void bringBackPictures(PictureCache pictures) {
      for (JdbcBook book : books.values()) {
        pictures.bringBack(
            book.row().configId(),
            new PictureCache.Kept(book.picture(), book.config(), book.row().seq() + step));
      }
    }
  }

  private Batch assign(Connection connection, List<Demand> demands) throws SQLException {
    Map<String, SlotConfig> believed = new HashMap<>();
    demands.forEach(demand -> believed.put(demand.config().name(), demand.config()));
    boolean lookUp = repeats.expected();
    Map<String, Slot> known = new HashMap<>();
    List<BookRow> rows = lock(connection, believed.keySet(), demands, lookUp, known);
    Map<String, JdbcBook> books = new LinkedHashMap<>();
    long nowMicros = 0;
    for (BookRow row : rows) {
      nowMicros = Math.max(nowMicros, row.nowMicros());
      books.put(
          row.name(), open(connection, row, Objects.requireNonNull(believed.get(row.name()))));
    }
    BatchPlan plan = BatchPlan.of(demands, known, books, Micros.instant(nowMicros), random);
    if (!lookUp && plan.refusesAny()) {
      // Whoever is refused may have a slot from before: plan again, knowing.
      repeats.met();
      throw new SQLException("the events of a refusal were not looked up", Transactions.TRY_AGAIN);
    }
    int step = plan.fresh().isEmpty() ? 0 : write(connection, plan, known, books);
    return new Batch(plan, books, step);
  }

  private List<BookRow> lock(
      Connection connection,
      Set<String> configNames,
      List<Demand> demands,
      boolean lookUp,
      Map<String, Slot> known)
      throws SQLException {
    String[] names = configNames.toArray(String[]::new);
    if (!lookUp) {
      return Sql.list(connection, row -> BookRow.read(row, clock), LOCK, (Object) names);
    }
    String[] eventIds =
        demands.stream().map(demand -> demand.request().eventId()).sorted().toArray(String[]::new);
    try (PreparedStatement statement = Sql.prepare(connection, LOCK_AND_LOOK_UP, names, eventIds)) {
      statement.execute();
      List<BookRow> rows;
      try (ResultSet found = statement.getResultSet()) {
        rows = Sql.list(found, row -> BookRow.read(row, clock));
      }
      statement.getMoreResults();
      try (ResultSet found = statement.getResultSet()) {
        Sql.list(found, SlotRow::read).forEach(slot -> known.put(slot.eventId(), slot));
      }
      if (known.isEmpty()) {
        repeats.notMet();
      } else {
        repeats.met();
      }
      return rows;
    }
  }

  private int write(
      Connection connection, BatchPlan plan, Map<String, Slot> known, Map<String, JdbcBook> books)
      throws SQLException {
    List<String> ended =
        plan.fresh().stream().map(Slot::eventId).filter(known::containsKey).toList();
    try {
      SlotWriter writer = new SlotWriter().slots(plan.fresh(), ended, books).books(books.values());
      writer.sendAndCommit(connection);
      return writer.step();
    } catch (SQLException e) {
      // Most likely an event that has its slot already. The next try looks before it writes.
      repeats.met();
      throw e;
    }
  }

  /** Opens a locked book with the picture that this node kept, if nothing has changed since. */
  private JdbcBook open(Connection connection, BookRow row, SlotConfig believed)
      throws SQLException {
    Optional<PictureCache.Kept> kept = pictures.take(row.configId());
    if (kept.isPresent()) {
      if (kept.get().seq() == row.seq() && kept.get().config().version() == row.version()) {
        return new JdbcBook(connection, row, kept.get().config(), kept.get().picture());
      }
      observer.contended();
    }
    boolean inForce = believed.version() == row.version();
    return new JdbcBook(connection, row, inForce ? believed : ConfigRow.inForce(connection, row));
  }

  @Override
  public Transition confirm(String eventId) {
    return transactions.write(connection -> SlotEndings.confirm(connection, eventId));
  }

  @Override
  public Transition cancel(String eventId) {
    return transactions.write(connection -> SlotEndings.cancel(connection, clock, eventId));
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
