package dev.weir.store.jdbc.slots;

import dev.weir.core.Micros;
import dev.weir.core.slots.NotBefore;
import dev.weir.engine.slots.AssignRequest;
import dev.weir.engine.slots.BatchPlan;
import dev.weir.engine.slots.SlotRequest;
import dev.weir.engine.slots.WaitMode;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.Transactions;
import dev.weir.store.jdbc.UnansweredException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;

/**
 * The quick way to assign a batch: plan from the pictures that this node kept, and send one
 * statement, a transaction by itself, that writes only if they are still true. Pages that a picture
 * lacks are read without the lock: if the picture is true at the end, so was the page.
 *
 * <p>It gives up, with nothing written, wherever the {@linkplain LockedAssignment careful way} is
 * surer to succeed.
 */
final class OptimisticAssignment {
  private final StoreClock clock;
  private final RandomGenerator random;
  private final NodeState memory;
  private final Runnable contended;

  OptimisticAssignment(
      StoreClock clock, RandomGenerator random, NodeState memory, Runnable contended) {
    this.clock = clock;
    this.random = random;
    this.memory = memory;
    this.contended = contended;
  }

  /**
   * Assigns a batch; empty if nothing was written.
   *
   * @param patience whether it waits while another transaction holds a book
   */
  Optional<WrittenBatch> assign(
      Transactions transactions, List<AssignRequest> demands, WaitMode patience) {
    if (memory.repeats().expected() || memory.rivals().expected()) {
      return Optional.empty();
    }
    Set<String> names = new TreeSet<>();
    demands.forEach(demand -> names.add(demand.config().name()));
    Map<String, OccupancyCache.Kept> kept = memory.pictures().takeAll(names);
    return kept.isEmpty()
        ? Optional.empty()
        : transactions.attempt(connection -> assign(connection, demands, kept, patience));
  }

  private Optional<WrittenBatch> assign(
      Connection connection,
      List<AssignRequest> demands,
      Map<String, OccupancyCache.Kept> kept,
      WaitMode patience)
      throws SQLException {
    EstimatedClock.Need need = need(demands, kept.values());
    OptionalLong reckoned = memory.time().databaseMicros(System.nanoTime(), need);
    if (reckoned.isEmpty()) {
      kept.values().forEach(memory.pictures()::bringBack);
      return Optional.empty();
    }
    Map<String, JdbcWindows> books = new TreeMap<>();
    long mostBytes = JdbcWindows.shareOf(memory.pictures(), kept.size());
    kept.forEach(
        (name, known) ->
            books.put(
                name,
                new JdbcWindows(
                    connection, known.row(), known.config(), known.picture(), mostBytes)));
    // Pages are read in a transaction, as large ones come in portions. Mostly there are none.
    connection.setAutoCommit(false);
    BatchPlan plan =
        BatchPlan.of(
            demands,
            Map.of(),
            books,
            patience,
            Micros.instant(clock.micros(reckoned.getAsLong())),
            random);
    connection.setAutoCommit(true);
    if (plan.refusesAny()) {
      // Whoever is refused may have a slot from before: plan again, knowing.
      memory.repeats().met();
      return Optional.empty();
    }
    if (plan.fresh().isEmpty()) {
      // All of it has to wait, which changes nothing.
      return Optional.of(new WrittenBatch(plan, books, 0));
    }
    // In the order in which everybody locks.
    List<JdbcWindows> inOrder =
        books.values().stream()
            .sorted(Comparator.comparingInt(book -> book.row().configId()))
            .toList();
    WrittenBatch batch = new WrittenBatch(plan, books, WrittenBatch.newStep());
    boolean waits = patience != WaitMode.NONE;
    OptimisticGuard gate =
        OptimisticGuard.believed(inOrder, batch.step(), reckoned.getAsLong(), need, waits);
    return write(connection, batch, SlotWriter.of(inOrder, gate));
  }

  private static EstimatedClock.Need need(
      List<AssignRequest> demands, Collection<OccupancyCache.Kept> books) {
    boolean decides =
        books.stream().anyMatch(book -> book.config().terms().notBefore() == NotBefore.NOW)
            || demands.stream()
                .anyMatch(demand -> demand.request().requestedTime().equals(SlotRequest.NOW));
    return decides ? EstimatedClock.Need.TO_PLAN : EstimatedClock.Need.TO_NOTE;
  }

  private Optional<WrittenBatch> write(Connection connection, WrittenBatch batch, SlotWriter writer)
      throws SQLException {
    long asked = System.nanoTime();
    try {
      SlotWriter filled = writer.slots(batch.plan().fresh(), List.of(), batch.books());
      OptionalLong told = UnansweredException.unlessAnswered(() -> filled.sendIfTrue(connection));
      if (told.isEmpty()) {
        contended.run();
        memory.rivals().met();
        return Optional.empty();
      }
      memory.time().told(asked, told.getAsLong());
      return Optional.of(batch);
    } catch (SQLException e) {
      // Most likely an event that has its slot already. The next try looks before it writes.
      memory.repeats().met();
      throw e;
    }
  }
}
