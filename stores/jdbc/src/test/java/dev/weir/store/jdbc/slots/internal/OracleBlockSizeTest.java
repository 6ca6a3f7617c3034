package dev.weir.store.jdbc.slots.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.internal.Micros;
import dev.weir.slots.AssignRequest;
import dev.weir.slots.Assignment;
import dev.weir.slots.SlotLedger;
import dev.weir.slots.SlotObserver;
import dev.weir.slots.SlotPolicy;
import dev.weir.store.jdbc.OracleDatabase;
import dev.weir.store.tck.slots.Node;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Batches that the block cannot hold are written without it. H2 has no PL/SQL, and the connections
 * refuse a block, so a batch that is sent as one fails.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class OracleBlockSizeTest {
  private final OracleDatabase database = OracleDatabase.get();
  private final Node node = OracleDatabase.node(database.pool(), InstantSource.fixed(Account.NOON));
  private final SlotLedger ledger =
      JdbcSlotLedger.inOracle(
          true,
          database.otherPool(),
          databaseMicros -> Micros.ceil(Account.NOON),
          new Random(1),
          SlotObserver.NONE,
          4);

  private final Account account = Account.open(node, 2);

  /** At place 8,191 of their windows, if those have that many. */
  private List<AssignRequest> lateInTheirWindows(String prefix, int count) {
    Instant late = Account.NOON.plusSeconds(4).minusNanos(490_000);
    return IntStream.range(0, count)
        .mapToObj(i -> account.request(prefix + i, late.plusSeconds(4L * i)))
        .toList();
  }

  private void raiseTheLimit(int maxPerWindow) {
    node.configs()
        .configure(account.config().name(), SlotPolicy.of(maxPerWindow, Duration.ofSeconds(4)));
    // The requests still have the first version; the cached view has the second.
    ledger.assign(lateInTheirWindows("first", 1));
  }

  @Test
  void windowsThatHaveGrownSinceTheRequestsAreWrittenWithoutTheBlock() {
    raiseTheLimit(15_000);
    List<AssignRequest> requests = lateInTheirWindows("e", 30);
    assertThat(OracleBlockWriter.fits(requests)).isTrue();

    assertThat(ledger.assign(requests))
        .hasSize(30)
        .allSatisfy(assignment -> assertThat(assignment).isInstanceOf(Assignment.Assigned.class));
    assertThat(node.ledger().find(account.id("e29"))).isPresent();
  }

  /** JSON_TABLE would read places that are too long as none. */
  @Test
  void windowWithTooManyPlacesForATextIsWrittenWithoutTheBlock() {
    raiseTheLimit(40_000);
    Instant last = Account.NOON.plusSeconds(4).minusNanos(130_000);
    List<AssignRequest> requests = List.of(account.request("e", last));
    assertThat(OracleBlockWriter.fits(requests)).isTrue();

    assertThat(ledger.assign(requests))
        .allSatisfy(assignment -> assertThat(assignment).isInstanceOf(Assignment.Assigned.class));
  }

  /** Shows that the others would fail. */
  @Test
  void batchThatFitsIsSentAsABlock() {
    assumeTrue(!OracleDatabase.isReal(), "Oracle has PL/SQL");
    raiseTheLimit(16);

    assertThatThrownBy(() -> ledger.assign(lateInTheirWindows("e", 2)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("write_batch");
  }
}
