package dev.weir.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.engine.StoreException;
import dev.weir.store.tck.internal.OracleStandIn;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Migrations that fail half-way: Oracle, as H2, does not roll back the creation of a table. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class OracleMigrationTest {
  private final HikariDataSource pool =
      OraclePool.open(
          new PoolSettings(OracleStandIn.create(), "", "", 1, 4, Duration.ofSeconds(30)));

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
}
