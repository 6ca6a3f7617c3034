package dev.weir.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.StoreException;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.tck.internal.Await;
import dev.weir.store.tck.internal.OracleStandIn;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A database whose tables are not those that a process needs, when it starts or later. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RequiredTablesTest {
  private static final String LATEST = "V13.1__longer_leases.sql";

  /** Short, because a pool that is refused connections waits for one in vain. */
  private static final Duration REFUSED_WAIT = Duration.ofMillis(500);

  private static HikariDataSource empty(Dialect dialect) {
    String url =
        switch (dialect) {
          case POSTGRESQL -> Database.get().createEmpty();
          case ORACLE -> OracleStandIn.create();
        };
    return open(dialect, url, Database.MAX_WAIT);
  }

  private static HikariDataSource open(Dialect dialect, String url, Duration wait) {
    return switch (dialect) {
      case POSTGRESQL -> PostgresqlPool.open(new PoolSettings(url, "postgres", "", 1, 3, wait));
      case ORACLE -> OraclePool.open(new PoolSettings(url, "", "", 1, 3, wait));
    };
  }

  private static void migrate(Dialect dialect, HikariDataSource pool) {
    switch (dialect) {
      case POSTGRESQL -> PostgresqlPool.migrate(pool);
      case ORACLE -> OraclePool.migrate(pool);
    }
  }

  private static void note(HikariDataSource pool, String change) {
    Database.execute(pool, change.formatted("\"weir_migration\"", "\"version\""));
  }

  @ParameterizedTest
  @EnumSource
  void withoutTablesNobodyStarts(Dialect dialect) {
    try (HikariDataSource pool = empty(dialect)) {
      assertThatThrownBy(() -> RequiredTables.guard(dialect, pool))
          .isInstanceOf(StoreException.class)
          .hasMessage(
              "the tables are older than this version needs:"
                  + " no notes of migrations can be read");
    }
  }

  @ParameterizedTest
  @EnumSource
  void onOlderTablesNobodyStarts(Dialect dialect) {
    try (HikariDataSource pool = empty(dialect)) {
      migrate(dialect, pool);
      note(pool, "delete from %s where %s = '13.1'");

      assertThatThrownBy(() -> RequiredTables.guard(dialect, pool))
          .isInstanceOf(StoreException.class)
          .hasMessage(
              "the tables are older than this version needs: " + LATEST + " was not applied");
    }
  }

  @ParameterizedTest
  @EnumSource
  void onNewerTablesEverybodyWorks(Dialect dialect) throws SQLException {
    try (HikariDataSource pool = empty(dialect)) {
      migrate(dialect, pool);
      note(
          pool,
          "insert into %s select \"installed_rank\" + 1, '99', \"description\", \"type\","
              + " 'V99__later.sql', 7, \"installed_by\", \"installed_on\", \"execution_time\","
              + " \"success\" from \"weir_migration\" where \"installed_rank\" ="
              + " (select max(\"installed_rank\") from \"weir_migration\")");

      RequiredTables tables = RequiredTables.guard(dialect, pool);

      try (Connection connection = pool.getConnection()) {
        assertThat(tables.reasonAgainst(connection)).isEmpty();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void onTablesOfAnotherBuildNobodyStarts(Dialect dialect) {
    try (HikariDataSource pool = empty(dialect)) {
      migrate(dialect, pool);
      note(pool, "update %s set %s = '3.7', \"script\" = 'V3.7__other.sql' where %2$s = '3'");

      assertThatThrownBy(() -> RequiredTables.guard(dialect, pool))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("cannot be upgraded");
    }
  }

  /** As if a backup of the version before were restored, and migrated by another node. */
  @ParameterizedTest
  @EnumSource
  void nobodyWorksOnTablesWhileTheyAreOlder(Dialect dialect) throws SQLException {
    try (HikariDataSource other = empty(dialect);
        HikariDataSource pool = open(dialect, other.getJdbcUrl(), REFUSED_WAIT)) {
      migrate(dialect, other);
      RequiredTables tables = Await.answer(() -> RequiredTables.guard(dialect, pool));
      assertThat(tables.refusal()).isEmpty();
      String reason =
          "the tables are older than this version needs: " + LATEST + " was not applied";
      try (Connection before = Database.connect(pool)) {
        note(other, "update %s set %s = '13.7' where %2$s = '13.1'");

        assertThat(tables.reasonAgainst(before)).isEqualTo(reason);
      }

      // A pool may also have no connection because the machine is busy.
      Await.until(() -> isRefused(pool) && tables.refusal().equals(Optional.of(reason)));

      try (Connection migrating = Migrations.connections(pool).getConnection();
          Statement statement = migrating.createStatement()) {
        statement.execute(
            "update \"weir_migration\" set \"version\" = '13.1' where \"version\" = '13.7'");
      }
      try (Connection after = Database.connect(pool)) {
        assertThat(tables.reasonAgainst(after)).isEmpty();
      }
    }
  }

  private static boolean isRefused(HikariDataSource pool) {
    try (Connection connection = pool.getConnection()) {
      return connection.isClosed();
    } catch (SQLException e) {
      return true;
    }
  }
}
