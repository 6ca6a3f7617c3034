package dev.weir.store.jdbc.slots.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.slots.AssignRequest;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotPolicy;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.OracleDatabase;
import dev.weir.store.tck.internal.CheckedDataSource;
import dev.weir.store.tck.slots.Node;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Counts the round trips to Oracle, by the calls for which its driver makes one. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class OracleRoundTripsTest {
  private final InstantSource clock = InstantSource.fixed(Account.NOON);
  private final CheckedDataSource counted = CheckedDataSource.of(OracleDatabase.get().pool());
  private final Node node = OracleDatabase.node(counted.dataSource(), clock);
  private final Account account = Account.open(node, 2);

  private <T> int roundTrips(Supplier<T> work) {
    int before = counted.roundTrips();
    assertThat(work.get()).isNotNull();
    return counted.roundTrips() - before;
  }

  @Test
  void batchTakesFourWhateverItsSize() {
    account.assign(node, "first", Account.NOON);

    for (int size : List.of(1, 5, 64, 4_096)) {
      List<AssignRequest> requests = account.requests("e" + size + "-", size, Account.NOON);
      assertThat(roundTrips(() -> node.ledger().assign(requests)))
          .as("%d events", size)
          .isEqualTo(4);
    }
  }

  @Test
  void batchOfSeveralConfigurationsTakesFour() {
    Account other = Account.open(node, 2);
    account.assign(node, "first", Account.NOON);
    other.assign(node, "first", Account.NOON);
    List<AssignRequest> requests = new ArrayList<>(account.requests("e", 10, Account.NOON));
    requests.addAll(other.requests("f", 10, Account.NOON));

    assertThat(roundTrips(() -> node.ledger().assign(requests))).isEqualTo(4);
  }

  /** Filling the gap between two runs of full windows removes one of them. */
  @Test
  void batchThatJoinsRunsTakesFour() {
    Instant next = Account.NOON.plusSeconds(4);
    node.ledger().assign(account.requests("a", 2, Account.NOON));
    node.ledger().assign(account.requests("c", 2, next.plusSeconds(4)));

    assertThat(roundTrips(() -> node.ledger().assign(account.requests("b", 2, next)))).isEqualTo(4);
    assertThat(account.assign(node, "d", Account.NOON).windowStart())
        .isEqualTo(next.plusSeconds(8));
    assertThat(account.assign(OracleDatabase.node(counted.dataSource(), clock), "e", Account.NOON))
        .extracting(slot -> slot.windowStart())
        .isEqualTo(next.plusSeconds(8));
  }

  @Test
  void repeatedEventTakesOneToLookUpAndNoneToWrite() {
    account.assign(node, "a", Account.NOON);
    account.assign(node, "a", Account.NOON);

    assertThat(roundTrips(() -> account.assign(node, "a", Account.NOON))).isEqualTo(3);
  }

  /** A node that has no view yet reads the configuration and a page of windows. */
  @Test
  void coldBatchTakesTwoMoreWithAnyBacklog() {
    node.ledger().assign(account.requests("e", 4_000, Account.NOON));
    Node cold = OracleDatabase.node(counted.dataSource(), clock);

    assertThat(roundTrips(() -> account.assign(cold, "f", Account.NOON))).isEqualTo(6);
  }

  /** Its places are too many for a value of RAW. The only usable one is close to the end. */
  @Test
  void placesOfALargeWindowAreWrittenAndReadAgain() {
    Account large = Account.open(node, 40_000);
    Instant late = Account.NOON.plusSeconds(4).minusNanos(130_000);
    Node cold = OracleDatabase.node(counted.dataSource(), clock);

    Slot first = large.assign(node, "a", late);
    Slot second = large.assign(cold, "b", late);

    assertThat(first.place()).isEqualTo(32_767);
    assertThat(first.windowStart()).isEqualTo(Account.NOON);
    assertThat(second.windowStart()).isEqualTo(Account.NOON.plusSeconds(4));
  }

  /** Removed runs stay as empty rows until upkeep removes them. */
  @Test
  void tidyRemovesEmptyRuns() {
    Instant next = Account.NOON.plusSeconds(4);
    node.ledger().assign(account.requests("a", 2, Account.NOON));
    node.ledger().assign(account.requests("c", 2, next.plusSeconds(4)));
    node.ledger().assign(account.requests("b", 2, next));
    long before = rows();

    node.upkeep().tidy(100);

    assertThat(rows()).isEqualTo(before - 1);
    assertThat(account.assign(node, "d", Account.NOON).windowStart())
        .isEqualTo(next.plusSeconds(8));
  }

  private long rows() {
    return Database.number(
        counted.dataSource(),
        "select count(*) from slot_occupancy o where o.kind = 2 and o.config_id ="
            + " (select c.config_id from slot_config c where c.name = '%s')"
                .formatted(account.config().name()));
  }

  @Test
  void changedConfigurationIsNoticed() {
    account.assign(node, "a", Account.NOON);
    OracleDatabase.node(OracleDatabase.get().otherPool(), clock)
        .configs()
        .configure(account.config().name(), SlotPolicy.of(1, Duration.ofSeconds(4)));

    assertThat(account.assign(node, "b", Account.NOON).windowStart())
        .isEqualTo(Account.NOON.plusSeconds(4));
  }
}
