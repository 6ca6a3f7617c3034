package dev.weir.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.StoreException;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.tck.internal.OracleStandIn;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Migrations that fail half-way: Oracle, as H2, does not roll back the creation of a table. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class OracleMigrationTest {
  private static final int NODES = 24;

  private final String url = OracleStandIn.create();
  private final HikariDataSource pool =
      OraclePool.open(new PoolSettings(url, "", "", 1, 4, Database.MAX_WAIT));

  @AfterEach
  void close() {
    pool.close();
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Test
  void saysWhatTheDatabaseRefused() throws SQLException {
    execute("create table counted_span (a number(1))");

    assertThatThrownBy(() -> OraclePool.migrate(pool))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("V1__slots.sql")
        .hasMessageContaining("already exists")
        .satisfies(e -> assertThat(e.getMessage().lines()).hasSize(1));
  }

  /** Each node has its own connections, and all find a database without tables. */
  @RepeatedTest(3)
  void nodesThatStartTogetherWaitForEachOther() throws Exception {
    CountDownLatch ready = new CountDownLatch(NODES);
    List<FutureTask<Boolean>> nodes =
        IntStream.range(0, NODES)
            .mapToObj(
                i ->
                    new FutureTask<>(
                        () -> {
                          try (HikariDataSource own =
                              OraclePool.open(
                                  new PoolSettings(url, "", "", 0, 2, Database.MAX_WAIT))) {
                            ready.countDown();
                            ready.await();
                            OraclePool.migrate(own);
                          }
                          return true;
                        }))
            .toList();
    nodes.forEach(Thread.ofPlatform()::start);
    for (FutureTask<Boolean> node : nodes) {
      assertThat(node.get()).isTrue();
    }
    assertThat(
            Database.number(
                pool, "select count(*) from \"weir_migration\" where \"version\" = '1'"))
        .isEqualTo(1);
  }

  @Test
  void isRepeatedOnceWhatItCreatedIsDropped() throws SQLException {
    execute("create table counted_span (a number(1))");
    assertThatThrownBy(() -> OraclePool.migrate(pool)).isInstanceOf(StoreException.class);
    List<String> left =
        List.of(
            "table counted_span",
            "view full_run",
            "view slot_window",
            "table slot_occupancy",
            "table slot",
            "table slot_config_version",
            "table slot_config");

    assertThatThrownBy(() -> OraclePool.migrate(pool))
        .isInstanceOf(StoreException.class)
        .hasMessage(
            "the migration V1__slots.sql failed half-way; drop what it has created and start"
                + " again: "
                + String.join(", ", left));
    for (String object : left) {
      execute("drop " + object);
    }
    OraclePool.migrate(pool);

    assertThat(Database.number(pool, "select count(*) from change_counter")).isEqualTo(5);
  }

  /** The tables of the first version, with a full window, an open one, and two runs. */
  private void createFirstVersion() throws SQLException {
    Flyway flyway = Migrations.flyway(pool, "classpath:db/weir/oracle");
    Flyway.configure().configuration(flyway.getConfiguration()).target("1").load().migrate();
    String insert =
        "insert into slot_occupancy (config_id, grid, kind, start_micros, until_micros, taken,"
            + " off_grid, is_full) values ";
    execute(insert + "(1, 0, 0, 0, 7, 0, 0, 0)");
    execute(insert + "(1, 1, 1, 10, 20, 2, 0, 1)");
    execute(insert + "(1, 1, 1, 20, 30, 1, 0, 0)");
    execute(insert + "(1, 1, 2, 10, 20, 0, 0, 0)");
    execute(insert + "(1, 1, 2, 40, 40, 0, 0, 0)");
  }

  @Test
  void tablesOfTheFirstVersionAreUpgraded() throws SQLException {
    createFirstVersion();

    OraclePool.migrate(pool);

    try (Connection connection = pool.getConnection()) {
      assertThat(
              Sql.list(
                  connection,
                  row -> row.getString(1) + " " + row.getString(2),
                  "select kind, plan_micros from slot_occupancy order by kind, start_micros"))
          .containsExactly("0 null", "1 null", "1 20", "2 10", "2 null");
      assertThat(
              Sql.list(
                  connection,
                  row -> row.getLong(1) + " " + row.getLong(2),
                  "select from_micros, until_micros from full_run"))
          .containsExactly("10 20");
    }
  }

  /**
   * A node that is killed after a statement, and before the note that it was executed, leaves
   * behind what the migration creates, or lacks what it drops.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1.1 | alter table slot_occupancy drop column plan_micros"
            + " | drop what it has created and start again: column slot_occupancy.plan_micros",
        "1.2 | drop index slot_occupancy_plan"
            + " | drop what it has created and start again: index slot_occupancy_plan",
        "1.4 | drop index slot_by_time_and_id"
            + " | drop what it has created and start again: index slot_by_time_and_id",
        "1.5 | create index slot_by_time on slot (state)"
            + " | create what it drops, with any column, and start again: index slot_by_time",
        "13.1 | alter table concurrency_definition drop column held_until"
            + " | drop what it has created and start again:"
            + " column concurrency_definition.held_until",
        "18.7 | drop table lease | drop what it has created and start again: table lease",
        "18.9 | alter table limit_store drop column fallback_until_micros"
            + " | drop what it has created and start again:"
            + " column limit_store.fallback_until_micros"
      })
  void migrationWhoseNoteWasLostIsRepeated(String version, String undo, String message)
      throws SQLException {
    OraclePool.migrate(pool);
    forget(version);
    if (version.equals("1.1")) {
      // The column cannot be dropped as long as it is used.
      execute("drop view full_run");
      execute("drop index slot_occupancy_plan");
      forget("1.2");
      forget("1.3");
    }

    assertThatThrownBy(() -> OraclePool.migrate(pool)).isInstanceOf(StoreException.class);
    assertThatThrownBy(() -> OraclePool.migrate(pool))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("failed half-way; " + message);
    execute(undo);
    OraclePool.migrate(pool);

    assertThat(Database.number(pool, "select count(*) from full_run")).isZero();
    assertThat(indexes()).contains("SLOT_OCCUPANCY_PLAN", "SLOT_BY_TIME_AND_ID");
    assertThat(indexes()).doesNotContain("SLOT_BY_TIME");
  }

  @Test
  void rowThatIsThereAlreadyIsNotInsertedAgain() throws SQLException {
    OraclePool.migrate(pool);
    forget("18.8");

    OraclePool.migrate(pool);

    assertThat(Database.number(pool, "select count(*) from exclusive_task")).isEqualTo(2);
  }

  private void forget(String version) throws SQLException {
    execute("delete from \"weir_migration\" where \"version\" = '%s'".formatted(version));
  }

  private List<String> indexes() throws SQLException {
    try (Connection connection = pool.getConnection()) {
      return Sql.list(
          connection, row -> row.getString(1), "select index_name from information_schema.indexes");
    }
  }
}
