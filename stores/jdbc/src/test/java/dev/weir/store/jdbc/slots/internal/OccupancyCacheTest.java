package dev.weir.store.jdbc.slots.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import dev.weir.slots.AssignRequest;
import dev.weir.slots.Assignment;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotObserver;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.planning.internal.OccupancyView;
import dev.weir.slots.planning.internal.Page;
import dev.weir.slots.planning.internal.Window;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.tck.slots.Node;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Cached views use a bounded part of the heap, regardless of their number and size. */
final class OccupancyCacheTest {
  private static final int MAX_BYTES = 1_000_000;
  private static final SlotPolicy POLICY = SlotPolicy.of(100_000, Duration.ofSeconds(1));

  private final OccupancyCache views = new OccupancyCache(MAX_BYTES);

  /** About 12 kB for each window. */
  private static OccupancyCache.CachedView kept(String name, int windows, long seq) {
    BitSet last = new BitSet();
    last.set(99_999);
    OccupancyView view = new OccupancyView(POLICY);
    List<Window> stored =
        IntStream.range(0, windows)
            .mapToObj(i -> Window.of(1_000_000L * i, last.toByteArray(), 0))
            .toList();
    view.add(Page.allFrom(0, stored, List.of()));
    return new OccupancyCache.CachedView(
        view,
        new SlotConfig(name, 1, POLICY, Instant.EPOCH),
        new ConfigRow(1, name, 1, 0, 1, Long.MIN_VALUE, seq, 0));
  }

  @Test
  void leastRecentlyUsedViewsAreEvicted() {
    for (int i = 0; i < 50; i++) {
      views.putBack(kept("c" + i, 10, 1));
      assertThat(views.heldBytes()).isLessThanOrEqualTo(MAX_BYTES);
      // Used all the time.
      views.take("c0").ifPresent(views::putBack);
    }

    assertThat(views.take("c0")).isPresent();
    assertThat(views.take("c1")).isEmpty();
    assertThat(views.take("c49")).isPresent();
    assertThat(views.heldBytes()).isGreaterThan(MAX_BYTES / 2);
  }

  @Test
  void viewThatIsTooLargeDropsWhatCanBeReadAgain() {
    views.putBack(kept("small", 10, 1));
    views.putBack(kept("large", 1_000, 7));

    assertThat(views.heldBytes()).isLessThan(MAX_BYTES / 4);
    assertThat(views.take("small")).isPresent();
    assertThat(views.take("large"))
        .hasValueSatisfying(
            large -> {
              assertThat(large.row().seq()).isEqualTo(7);
              assertThat(large.view().heapBytes()).isZero();
            });
    assertThat(views.heldBytes()).isZero();
  }

  @Test
  void newerOfTwoOfTheSameNameStays() {
    views.putBack(kept("c", 1, 5));
    views.putBack(kept("c", 2, 3));

    assertThat(views.take("c"))
        .hasValueSatisfying(kept -> assertThat(kept.row().seq()).isEqualTo(5));
    assertThat(views.heldBytes()).isZero();
  }

  @Test
  void allAreTakenOrNone() {
    views.putBack(kept("a", 1, 1));
    views.putBack(kept("b", 1, 1));

    assertThat(views.takeAll(List.of("a", "b", "c"))).isEmpty();
    assertThat(views.takeAll(List.of("a", "b"))).containsOnlyKeys("a", "b");
    assertThat(views.heldBytes()).isZero();
  }

  /** Many windows with large bitmaps, over more time than fits into memory. */
  @Test
  void nodeWithLittleMemoryGivesTheSameSlots() {
    InstantSource clock = InstantSource.fixed(Account.NOON);
    Database database = Database.get();
    NodeState state = new NodeState(100_000);
    JdbcSlotLedger little =
        new JdbcSlotLedger(
            SlotDialect.of(Dialect.POSTGRESQL),
            database.pool(),
            databaseMicros -> Micros.ceil(clock.instant()),
            new Random(1),
            SlotObserver.NONE,
            PastCount.SLOTS_A_PORTION,
            state,
            new LockQueue(2, 4, Database.MAX_WAIT));
    Node node = Database.node(database.otherPool(), clock);
    Account account = Account.open(node, 20_000);
    List<AssignRequest> many =
        IntStream.range(0, 600)
            .mapToObj(i -> account.request("e" + i, Account.NOON.plusSeconds(4L * (i * 7 % 300))))
            .toList();

    assertThat(little.batchSize(many)).isBetween(1, 100);
    for (int from = 0; from < many.size(); ) {
      List<AssignRequest> rest = many.subList(from, many.size());
      int fitting = little.batchSize(rest);
      for (Assignment answer : little.assign(rest.subList(0, fitting))) {
        int number = from++;
        assertThat(Account.slot(answer).scheduledTime())
            .isEqualTo(Account.NOON.plusSeconds(4L * (number * 7 % 300) + (number < 300 ? 0 : 2)));
      }
      assertThat(state.views().heldBytes()).isLessThanOrEqualTo(100_000);
    }
  }
}
