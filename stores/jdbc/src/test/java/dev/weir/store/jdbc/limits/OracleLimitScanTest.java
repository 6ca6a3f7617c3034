package dev.weir.store.jdbc.limits;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.OraclePool;
import dev.weir.store.jdbc.PoolSettings;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.tck.internal.OracleStandIn;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The plans of H2 for the statements about limits and leases in Oracle's dialect. Those of Oracle
 * may be others, but both can only use the indexes that there are.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class OracleLimitScanTest {
  private static final String TABLES = "(limit_usage|limit_request|lease_resource|lease)";

  private final HikariDataSource pool =
      OraclePool.open(new PoolSettings(OracleStandIn.create(), "", "", 1, 8, Database.MAX_WAIT));

  @AfterEach
  void close() {
    pool.close();
  }

  @Test
  void everyStatementHasItsIndex() throws SQLException {
    OraclePool.migrate(pool);
    Database.execute(pool, "set query_statistics_max_entries 1000");
    Database.execute(pool, "set query_statistics true");
    for (int round = 0; round < 4; round++) {
      LimitScanTest.useEverything(pool);
    }

    List<String> plans = plans();

    assertThat(plans).hasSizeGreaterThan(12);
    assertThat(plans)
        .allSatisfy(
            plan -> assertThat(plan).doesNotContainPattern("(?i)" + TABLES + "\\.tableScan"));
  }

  private List<String> plans() throws SQLException {
    try (Connection connection = pool.getConnection()) {
      List<String> statements =
          Sql.list(
              connection,
              row -> row.getString(1),
              "select sql_statement from information_schema.query_statistics");
      List<String> plans = new ArrayList<>();
      for (String sql : statements) {
        if (sql.matches("(?is)\\s*(select|update|delete)\\b.*\\b" + TABLES + "\\b.*")) {
          plans.add(plan(connection, sql));
        }
      }
      return plans;
    }
  }

  private static String plan(Connection connection, String sql) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement("explain " + sql)) {
      for (int i = 1; i <= statement.getParameterMetaData().getParameterCount(); i++) {
        statement.setString(i, "1");
      }
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        return rows.getString(1);
      }
    }
  }
}
