package dev.weir.store.jdbc.slots.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.internal.Micros;
import dev.weir.slots.AssignRequest;
import dev.weir.slots.Assignment;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotRequest;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.OracleDatabase;
import dev.weir.store.jdbc.OraclePool;
import dev.weir.store.jdbc.PoolSettings;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.InList;
import dev.weir.store.jdbc.internal.Transactions;
import dev.weir.store.tck.internal.CheckedDataSource;
import dev.weir.store.tck.internal.OracleStandIn;
import dev.weir.store.tck.slots.Node;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * More values than a statement is given. H2 takes any number, so the connections refuse statements
 * with more. Always on the stand-in, which is filled by statements of H2.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class OraclePortionsTest {
  private static final int EVENTS = InList.MAX_A_STATEMENT + 8;
  private static final int MANY = InList.MAX_VALUES + 8;

  private final HikariDataSource pool =
      OraclePool.open(new PoolSettings(OracleStandIn.create(), "", "", 1, 8, Database.MAX_WAIT));
  private final DataSource connections =
      CheckedDataSource.of(pool, InList.MAX_A_STATEMENT).dataSource();
  private final Transactions transactions = new Transactions(Dialect.ORACLE, connections, () -> {});
  private final Node node;

  OraclePortionsTest() {
    OraclePool.migrate(pool);
    this.node = OracleDatabase.node(connections, InstantSource.fixed(Account.NOON));
  }

  @AfterEach
  void close() {
    pool.close();
  }

  @Test
  void repeatedEventsOfALargeBatchAreFound() {
    Account account = Account.open(node, 1_000);
    List<AssignRequest> requests = account.requests("e", EVENTS, Account.NOON);
    List<Slot> first = slots(node.ledger().assign(requests));

    assertThat(slots(node.ledger().assign(requests))).isEqualTo(first);
    assertThat(Database.number(pool, "select count(*) from slot")).isEqualTo(EVENTS);
  }

  private static List<Slot> slots(List<Assignment> assignments) {
    return assignments.stream().map(Account::slot).toList();
  }

  @Test
  void knownEventIsFoundAmongMany() {
    Account account = Account.open(node, 2);
    account.assign(node, "last", Account.NOON);
    List<String> ids =
        new ArrayList<>(IntStream.range(0, EVENTS).mapToObj(i -> "unknown" + i).toList());
    assertThat(isAnyKnown(ids)).isFalse();
    ids.add(account.id("last"));

    assertThat(isAnyKnown(ids)).isTrue();
  }

  private boolean isAnyKnown(List<String> ids) {
    return transactions.read(
        connection -> SlotDialect.of(Dialect.ORACLE).isAnyKnown(connection, ids));
  }

  @Test
  void manyLeakedSlotsAreReclaimed() {
    Account account = Account.open(node, 1_000);
    node.ledger().assign(account.requests("e", MANY, Account.NOON.minusSeconds(60)));

    assertThat(node.upkeep().reclaim(Account.NOON.plusSeconds(3_600), EVENTS + 1)).isEqualTo(MANY);
    assertThat(Database.number(pool, "select count(*) from slot where state = 3")).isEqualTo(MANY);
  }

  /** Each window has an old slot; all windows but three have a young one as well. */
  @Test
  void slotsOfManyYoungWindowsAreKept() {
    Account account = Account.open(node, 2);
    long begin = Micros.ceil(Account.NOON) - 4_000_000L * (MANY + 10);
    insert(account, "old", begin, 0, "1 = 1");
    insert(
        account,
        "young",
        begin,
        Micros.ceil(Account.NOON),
        "n not in (0, %s, %s)".formatted(InList.MAX_VALUES - 1, MANY - 1));

    assertThat(node.upkeep().removePast(Account.NOON.minusSeconds(8), EVENTS)).isEqualTo(3);
    assertThat(Database.number(pool, "select count(*) from slot")).isEqualTo(2 * (MANY - 3));
  }

  private void insert(Account account, String prefix, long begin, long assignedAt, String which) {
    Database.execute(
        pool,
        """
        insert into slot (event_id, config_id, version, requested, window_start, place, scheduled,
                          assigned_at, state)
        select '%1$s' || n, c.config_id, 1, %2$s + 4000000 * n, %2$s + 4000000 * n, 0,
               %2$s + 4000000 * n, %3$s, 0
        from slot_config c cross join (select r.x as n from system_range(0, %4$s) r) numbers
        where c.name = '%5$s' and %6$s
        """
            .formatted(prefix, begin, assignedAt, MANY - 1, account.config().name(), which));
  }

  @Test
  void batchOfManyConfigurationsIsAssigned() {
    Database.execute(
        pool,
        "insert into slot_config (name, version, grid, since)"
            + " select 'c' || r.x, 1, 1, %s from system_range(1, %s) r"
                .formatted(Long.MIN_VALUE, MANY));
    Database.execute(
        pool,
        "insert into slot_config_version (config_id, version, max_per_window, window_micros,"
            + " spread, not_before, created_at)"
            + " select config_id, 1, 2, 4000000, 'even', 'requested', 0 from slot_config");
    Database.execute(
        pool,
        "insert into slot_occupancy (config_id, grid, kind, start_micros, until_micros, taken,"
            + " off_grid, is_full) select config_id, 0, 0, 0, 0, 0, 0, 0 from slot_config");
    SlotPolicy policy = SlotPolicy.of(2, Duration.ofSeconds(4));
    List<AssignRequest> requests =
        IntStream.rangeClosed(1, MANY)
            .mapToObj(
                i ->
                    new AssignRequest(
                        new SlotRequest("e" + i, "c" + i, Account.NOON),
                        new SlotConfig("c" + i, 1, policy, Account.NOON)))
            .toList();

    assertThat(slots(node.ledger().assign(requests)))
        .allSatisfy(slot -> assertThat(slot.windowStart()).isEqualTo(Account.NOON));
    assertThat(Database.number(pool, "select count(*) from slot")).isEqualTo(MANY);
  }
}
