package dev.weir.store.jdbc.slots;

import dev.weir.core.Micros;
import dev.weir.core.slots.OccupancyView;
import dev.weir.engine.slots.AssignRequest;
import dev.weir.engine.slots.BatchPlan;
import dev.weir.engine.slots.Slot;
import dev.weir.engine.slots.SlotConfig;
import dev.weir.engine.slots.WaitMode;
import dev.weir.store.jdbc.Sql;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * The careful way to assign a batch, a transaction of two round trips: lock the books, and look up
 * the events if repeated ones are to be expected; plan; write and commit.
 */
final class LockedAssignment {
  private static final String LOCK =
      "select "
          + BookRow.COLUMNS
          + " from slot_book b where b.name = any(?) order by b.config_id for update";

  /** Leaves out the books that another transaction holds. */
  private static final String LOCK_FREE = LOCK + " skip locked";

  /**
   * Follows in the same round trip. It must not be one statement with the lock: it has to see what
   * was committed while that was waited for.
   */
  private static final String LOOK_UP =
      "; select " + SlotRow.COLUMNS + SlotRow.FROM + " where s.event_id = any(?)";

  private final StoreClock clock;
  private final RandomGenerator random;
  private final NodeState memory;
  private final Runnable contended;

  LockedAssignment(StoreClock clock, RandomGenerator random, NodeState memory, Runnable contended) {
    this.clock = clock;
    this.random = random;
    this.memory = memory;
    this.contended = contended;
  }

  /**
   * Assigns a batch.
   *
   * @param patience whether it waits while another transaction holds a book, or defers its demands
   */
  WrittenBatch assign(Connection connection, List<AssignRequest> demands, WaitMode patience)
      throws SQLException {
    Map<String, SlotConfig> believed = new HashMap<>();
    demands.forEach(demand -> believed.put(demand.config().name(), demand.config()));
    boolean lookUp = memory.repeats().expected();
    Map<String, Slot> known = new HashMap<>();
    String lock = patience == WaitMode.NONE ? LOCK_FREE : LOCK;
    List<BookRow> rows =
        lookUp
            ? lockAndLookUp(connection, lock, believed.keySet(), demands, known)
            : lock(connection, lock, believed.keySet());
    Map<String, JdbcWindows> books = open(connection, rows, believed);
    long nowMicros = rows.stream().mapToLong(BookRow::nowMicros).max().orElse(0);
    BatchPlan plan =
        BatchPlan.of(demands, known, books, patience, Micros.instant(nowMicros), random);
    if (!lookUp && plan.refusesAny()) {
      // Whoever is refused may have a slot from before: plan again, knowing.
      memory.repeats().met();
      throw new SQLException("the events of a refusal were not looked up", Transactions.TRY_AGAIN);
    }
    int step = plan.fresh().isEmpty() ? 0 : write(connection, plan, known, books);
    return new WrittenBatch(plan, books, step);
  }

  private List<BookRow> lock(Connection connection, String lock, Set<String> configNames)
      throws SQLException {
    long asked = System.nanoTime();
    return Sql.list(
        connection, row -> book(row, asked), lock, (Object) configNames.toArray(String[]::new));
  }

  private List<BookRow> lockAndLookUp(
      Connection connection,
      String lock,
      Set<String> configNames,
      List<AssignRequest> demands,
      Map<String, Slot> known)
      throws SQLException {
    String[] names = configNames.toArray(String[]::new);
    long asked = System.nanoTime();
    String[] eventIds =
        demands.stream().map(demand -> demand.request().eventId()).sorted().toArray(String[]::new);
    try (PreparedStatement statement = Sql.prepare(connection, lock + LOOK_UP, names, eventIds)) {
      statement.execute();
      List<BookRow> rows;
      try (ResultSet found = statement.getResultSet()) {
        rows = Sql.list(found, row -> book(row, asked));
      }
      statement.getMoreResults();
      try (ResultSet found = statement.getResultSet()) {
        Sql.list(found, SlotRow::read).forEach(slot -> known.put(slot.eventId(), slot));
      }
      memory.repeats().wasPrepared(!known.isEmpty());
      return rows;
    }
  }

  private BookRow book(ResultSet row, long asked) throws SQLException {
    return BookRow.read(
        row,
        databaseMicros -> {
          memory.time().told(asked, databaseMicros);
          return clock.micros(memory.time().steady(databaseMicros));
        });
  }

  private int write(
      Connection connection,
      BatchPlan plan,
      Map<String, Slot> known,
      Map<String, JdbcWindows> books)
      throws SQLException {
    List<String> ended =
        plan.fresh().stream().map(Slot::eventId).filter(known::containsKey).toList();
    int step = WrittenBatch.newStep();
    try {
      SlotWriter.of(books.values(), OptimisticGuard.locked(books.values(), step))
          .slots(plan.fresh(), ended, books)
          .sendAndCommit(connection);
      return step;
    } catch (SQLException e) {
      // Most likely an event that has its slot already. The next try looks before it writes.
      memory.repeats().met();
      throw e;
    }
  }

  /** Opens locked books with the pictures that this node kept, where nothing has changed since. */
  private Map<String, JdbcWindows> open(
      Connection connection, List<BookRow> rows, Map<String, SlotConfig> believed)
      throws SQLException {
    Map<String, JdbcWindows> books = new LinkedHashMap<>();
    long mostBytes = JdbcWindows.shareOf(memory.pictures(), rows.size());
    boolean rivals = false;
    for (BookRow row : rows) {
      Optional<OccupancyCache.Kept> kept = memory.pictures().take(row.name());
      if (kept.isPresent() && kept.get().shows(row)) {
        books.put(
            row.name(),
            new JdbcWindows(connection, row, kept.get().config(), kept.get().picture(), mostBytes));
      } else {
        if (kept.isPresent()) {
          contended.run();
          rivals = true;
        }
        SlotConfig config = Objects.requireNonNull(believed.get(row.name()));
        if (config.version() != row.version()) {
          config = ConfigRow.inForce(connection, row);
        }
        OccupancyView picture = JdbcWindows.newPicture(row, config);
        books.put(row.name(), new JdbcWindows(connection, row, config, picture, mostBytes));
      }
    }
    memory.rivals().wasPrepared(rivals);
    return books;
  }
}
