package dev.weir.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.Micros;
import dev.weir.core.slots.Page;
import dev.weir.core.slots.Picture;
import dev.weir.core.slots.Terms;
import dev.weir.core.slots.Window;
import dev.weir.engine.slots.Assignment;
import dev.weir.engine.slots.Demand;
import dev.weir.engine.slots.SlotConfig;
import dev.weir.engine.slots.SlotObserver;
import dev.weir.store.tck.Node;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Kept pictures take a bounded part of the heap, however many and however large they are. */
final class PictureCacheTest {
  private static final int MOST_BYTES = 1_000_000;
  private static final Terms TERMS = Terms.of(100_000, Duration.ofSeconds(1));

  private final PictureCache pictures = new PictureCache(MOST_BYTES);

  /** About 12 kB for each window. */
  private static PictureCache.Kept kept(String name, int windows, long seq) {
    BitSet last = new BitSet();
    last.set(99_999);
    Picture picture = new Picture(TERMS);
    List<Window> stored =
        IntStream.range(0, windows)
            .mapToObj(i -> Window.of(1_000_000L * i, last.toByteArray(), 0))
            .toList();
    picture.add(Page.allFrom(0, stored, List.of()));
    return new PictureCache.Kept(
        picture,
        new SlotConfig(name, 1, TERMS, Instant.EPOCH),
        new BookRow(1, name, 1, 1, Long.MIN_VALUE, seq, 0));
  }

  @Test
  void thoseNotUsedForTheLongestTimeGo() {
    for (int i = 0; i < 50; i++) {
      pictures.bringBack(kept("c" + i, 10, 1));
      assertThat(pictures.heldBytes()).isLessThanOrEqualTo(MOST_BYTES);
      // In use again and again.
      pictures.take("c0").ifPresent(pictures::bringBack);
    }

    assertThat(pictures.take("c0")).isPresent();
    assertThat(pictures.take("c1")).isEmpty();
    assertThat(pictures.take("c49")).isPresent();
    assertThat(pictures.heldBytes()).isGreaterThan(MOST_BYTES / 2);
  }

  @Test
  void tooLargeAPictureIsKeptWithoutWhatCanBeReadAgain() {
    pictures.bringBack(kept("small", 10, 1));
    pictures.bringBack(kept("large", 1_000, 7));

    assertThat(pictures.heldBytes()).isLessThan(MOST_BYTES / 4);
    assertThat(pictures.take("small")).isPresent();
    assertThat(pictures.take("large"))
        .hasValueSatisfying(
            large -> {
              assertThat(large.row().seq()).isEqualTo(7);
              assertThat(large.picture().heapBytes()).isZero();
            });
    assertThat(pictures.heldBytes()).isZero();
  }

  @Test
  void newerOfTwoOfTheSameNameStays() {
    pictures.bringBack(kept("c", 1, 5));
    pictures.bringBack(kept("c", 2, 3));

    assertThat(pictures.take("c"))
        .hasValueSatisfying(kept -> assertThat(kept.row().seq()).isEqualTo(5));
    assertThat(pictures.heldBytes()).isZero();
  }

  @Test
  void allAreTakenOrNone() {
    pictures.bringBack(kept("a", 1, 1));
    pictures.bringBack(kept("b", 1, 1));

    assertThat(pictures.takeAll(List.of("a", "b", "c"))).isEmpty();
    assertThat(pictures.takeAll(List.of("a", "b"))).containsOnlyKeys("a", "b");
    assertThat(pictures.heldBytes()).isZero();
  }

  /** Many windows with large bitmaps, over more time than fits into memory. */
  @Test
  void nodeWithLittleMemoryGivesTheSameSlots() {
    InstantSource clock = InstantSource.fixed(Account.NOON);
    Database database = Database.get();
    NodeMemory memory = new NodeMemory(100_000);
    JdbcSlotLedger little =
        new JdbcSlotLedger(
            database.pool(),
            databaseMicros -> Micros.ceil(clock.instant()),
            new Random(1),
            SlotObserver.NONE,
            PastCount.SLOTS_A_PORTION,
            memory,
            new LockQueue(2, 4));
    Node node = Database.node(database.otherPool(), clock);
    Account account = Account.open(node, 20_000);
    List<Demand> many =
        IntStream.range(0, 600)
            .mapToObj(i -> account.demand("e" + i, Account.NOON.plusSeconds(4L * (i * 7 % 300))))
            .toList();

    assertThat(little.fitting(many)).isBetween(1, 100);
    for (int from = 0; from < many.size(); ) {
      List<Demand> rest = many.subList(from, many.size());
      int fitting = little.fitting(rest);
      for (Assignment answer : little.assign(rest.subList(0, fitting))) {
        int number = from++;
        assertThat(Account.slot(answer).scheduledTime())
            .isEqualTo(Account.NOON.plusSeconds(4L * (number * 7 % 300) + (number < 300 ? 0 : 2)));
      }
      assertThat(memory.pictures().heldBytes()).isLessThanOrEqualTo(100_000);
    }
  }
}
