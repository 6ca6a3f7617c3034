package dev.weir.store.jdbc.slots.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.internal.Micros;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotQuery;
import dev.weir.slots.WindowCount;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.OracleDatabase;
import dev.weir.store.jdbc.OraclePool;
import dev.weir.store.jdbc.PoolSettings;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.tck.internal.CheckedDataSource;
import dev.weir.store.tck.internal.OracleStandIn;
import dev.weir.store.tck.slots.Node;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The plans of the statements in Oracle's dialect, by H2, and the rows that they read. Always on
 * the stand-in: the plans of Oracle are not those of H2, but both can only use the indexes that
 * there are.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class OracleScanTest {
  private static final Pattern READ = Pattern.compile("scanCount: (\\d+)");
  private static final int MANY = 3_000;

  private final HikariDataSource pool =
      OraclePool.open(new PoolSettings(OracleStandIn.create(), "", "", 1, 8, Database.MAX_WAIT));
  private final DataSource connections = CheckedDataSource.of(pool).dataSource();
  private final Node node;

  OracleScanTest() {
    OraclePool.migrate(pool);
    this.node = OracleDatabase.node(connections, InstantSource.fixed(Account.NOON));
  }

  @AfterEach
  void close() {
    pool.close();
  }

  /** The usual statements of the last minute, each with its plan. */
  private List<String> plans() throws SQLException {
    try (Connection connection = pool.getConnection()) {
      List<String> statements =
          Sql.list(
              connection,
              row -> row.getString(1),
              "select sql_statement from information_schema.query_statistics");
      List<String> plans = new ArrayList<>();
      for (String sql : statements) {
        if (sql.matches("(?is)\\s*(select|merge|update|delete)\\b.*")
            && sql.matches("(?is).*\\b(slot|slot_occupancy|slot_window|full_run)\\b.*")) {
          plans.add(plan(connection, "explain ", sql));
        }
      }
      return plans;
    }
  }

  private static String plan(Connection connection, String explain, String sql)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(explain + sql)) {
      for (int i = 1; i <= statement.getParameterMetaData().getParameterCount(); i++) {
        statement.setString(i, "1");
      }
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        return rows.getString(1);
      }
    }
  }

  /** Executes a query and returns the number of rows that it has read of its tables. */
  private long rowsRead(String sql, Object... parameters) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      String plan =
          Sql.first(connection, row -> row.getString(1), "explain analyze " + sql, parameters)
              .orElseThrow();
      List<Long> counts =
          READ.matcher(plan).results().map(found -> Long.parseLong(found.group(1))).toList();
      assertThat(counts).as(plan).isNotEmpty();
      return counts.stream().mapToLong(Long::longValue).sum();
    }
  }

  private long pageRead(int configId, Instant from) throws SQLException {
    long begin = Micros.ceil(from);
    return rowsRead(
        OracleSlots.PAGE,
        configId,
        1,
        begin,
        Long.MAX_VALUE,
        256,
        configId,
        1,
        begin,
        configId,
        1,
        begin,
        256);
  }

  private int configId(Account account) {
    return Math.toIntExact(
        Database.number(
            pool,
            "select config_id from slot_config where name = '%s'"
                .formatted(account.config().name())));
  }

  @Test
  void everyStatementHasItsIndex() throws SQLException {
    Database.execute(pool, "set query_statistics_max_entries 1000");
    Database.execute(pool, "set query_statistics true");
    for (int round = 0; round < 4; round++) {
      ScanTest.useEverything(node, Account.open(node, 2));
    }

    List<String> plans = plans();

    assertThat(plans).hasSizeGreaterThan(20);
    assertThat(plans)
        .allSatisfy(
            plan -> assertThat(plan).doesNotContainPattern("(?i)SLOT(_OCCUPANCY)?\\.tableScan"));
  }

  @Test
  void windowWithRoomIsFoundBehindAnyNumberOfFullOnes() throws SQLException {
    Account account = Account.open(node, 2);
    node.ledger().assign(account.requests("e", 2 * MANY + 1, Account.NOON));
    int configId = configId(account);
    assertThat(
            Database.number(
                pool,
                "select count(*) from slot_window where is_full = 1 and config_id = " + configId))
        .isEqualTo(MANY);

    assertThat(pageRead(configId, Account.NOON)).isLessThan(20);
    assertThat(account.assign(node, "f", Account.NOON).windowStart())
        .isEqualTo(Account.NOON.plusSeconds(4L * MANY));
  }

  /** A removed run stays as an empty row until upkeep removes it. */
  @Test
  void removedRunsAreNotRead() throws SQLException {
    Account account = Account.open(node, 2);
    node.ledger().assign(account.requests("e", 4, Account.NOON));
    int configId = configId(account);
    Database.execute(
        pool,
        """
        insert into slot_occupancy (config_id, grid, kind, start_micros, until_micros, taken,
                                    off_grid, is_full)
        select %1$s, 1, 2, %2$s + 4000000 * n, %2$s + 4000000 * n, 0, 0, 0
        from (select level_of.x as n from system_range(10, %3$s) level_of)
        """
            .formatted(configId, Micros.ceil(Account.NOON), MANY + 9));

    assertThat(pageRead(configId, Account.NOON.plusSeconds(8L * MANY))).isLessThan(20);

    assertThat(node.upkeep().tidy(MANY)).isZero();
    assertThat(
            Database.number(
                pool,
                "select count(*) from slot_occupancy where kind = 2 and config_id = " + configId))
        .isOne();
    assertThat(account.assign(node, "f", Account.NOON).windowStart())
        .isEqualTo(Account.NOON.plusSeconds(8));
  }

  @Test
  void pageOfManyEqualTimesReadsOnlyItsOwnSlots() throws SQLException {
    Account account = Account.open(node, 2);
    int configId = configId(account);
    Database.execute(
        pool,
        """
        insert into slot (event_id, config_id, version, requested, window_start, place, scheduled,
                          assigned_at, state)
        select '%4$s-' || (100000 + n), %1$s, 1, %2$s, %2$s, 0, %2$s, %2$s, 0
        from (select level_of.x as n from system_range(1, %3$s) level_of)
        """
            .formatted(configId, Micros.ceil(Account.NOON), MANY, account.config().name()));
    SlotQuery query = page(account);
    List<String> listed = new ArrayList<>();
    for (List<Slot> page = node.ledger().list(query);
        !page.isEmpty();
        page = node.ledger().list(query)) {
      page.forEach(slot -> listed.add(slot.eventId()));
      query = query.after(page.getLast());
    }
    assertThat(listed).hasSize(MANY).isSorted().doesNotHaveDuplicates();

    long noon = Micros.ceil(Account.NOON);
    String middle = listed.get(MANY / 2);
    String name = account.config().name();
    assertThat(
            rowsRead(
                OracleSlots.LIST,
                name,
                0,
                noon,
                noon + 1,
                middle,
                10,
                name,
                0,
                noon + 1,
                noon + 2,
                10,
                10))
        .isLessThan(100);
    // The first page of later times, as if the cursor were before all of them.
    assertThat(
            rowsRead(
                OracleSlots.LIST,
                name,
                0,
                noon - 1,
                noon + 1,
                middle,
                10,
                name,
                0,
                noon,
                noon + 1,
                10,
                10))
        .isLessThan(100);
  }

  /** One window does not cost as much as all later ones. */
  @Test
  void slotsInOrderAreReadByPortions() throws SQLException {
    Account account = Account.open(node, 2);
    int configId = configId(account);
    long noon = Micros.ceil(Account.NOON);
    Database.execute(
        pool,
        """
        insert into slot (event_id, config_id, version, requested, window_start, place, scheduled,
                          assigned_at, state)
        select '%4$s-' || n, %1$s, 1, %2$s, %2$s, 0, %2$s + n * 1000000, %2$s, mod(n, 2)
        from (select level_of.x as n from system_range(0, %3$s - 1) level_of)
        """
            .formatted(configId, noon, MANY, account.config().name()));
    int portion = 100;
    long second = 1_000_000;
    long end = noon + portion * second;
    Object[] beyond = {
      configId,
      noon,
      Long.MAX_VALUE,
      portion + 1,
      configId,
      noon,
      Long.MAX_VALUE,
      portion + 1,
      portion
    };

    OracleSlotPortions portions = new OracleSlotPortions(portion);
    List<Long> visited = new ArrayList<>();
    List<WindowCount> counted;
    try (Connection connection = pool.getConnection()) {
      assertThat(
              Sql.first(connection, row -> row.getLong(1), OracleSlotPortions.FIRST_BEYOND, beyond))
          .contains(end);
      ConfigRow row =
          SlotDialect.of(Dialect.ORACLE)
              .find(connection, StoreClock.DATABASE, account.config().name())
              .orElseThrow();
      portions.visitSlots(
          connection,
          row,
          noon,
          Long.MAX_VALUE,
          (scheduled, place, window) -> {
            visited.add(scheduled);
            return visited.size() < 2 * portion + 1;
          });
      counted =
          portions.countWindows(
              connection,
              new SlotDialect.WindowRange(configId, 4 * second, noon, Long.MAX_VALUE, portion));
    }

    assertThat(visited)
        .hasSize(2 * portion + 1)
        .isSorted()
        .startsWith(noon)
        .endsWith(noon + 2 * portion * second);
    assertThat(counted)
        .hasSize(portion)
        .allMatch(window -> window.taken() == 4)
        .extracting(WindowCount::start)
        .isSorted()
        .endsWith(Account.NOON.plusSeconds(4L * (portion - 1)));
    // Of both states, and again where they are put together.
    Object[] span = {configId, noon, end, configId, noon, end};
    assertThat(rowsRead(OracleSlotPortions.FIRST_BEYOND, beyond)).isLessThan(10L * portion);
    assertThat(rowsRead(OracleSlotPortions.SLOTS_IN_ORDER, span)).isLessThan(10L * portion);
    List<Object> counting = new ArrayList<>(List.of(second, second, second));
    counting.addAll(List.of(span));
    counting.add(10);
    assertThat(rowsRead(OracleSlotPortions.COUNT_WINDOWS, counting.toArray()))
        .isLessThan(10L * portion);
  }

  private static SlotQuery page(Account account) {
    return SlotQuery.of(account.config().name()).filter(SlotQuery.Filter.ASSIGNED).limit(500);
  }
}
