package dev.weir.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.store.tck.internal.FreePort;
import dev.weir.store.tck.internal.OracleStandIn;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ConnectionFailuresTest {
  private static PoolSettings settings(String url, Duration wait) {
    return new PoolSettings(url, "weir", "secret", 1, 2, wait);
  }

  @Test
  void latestFailureIsKnownWhileThePoolIsStillTrying() throws Exception {
    String url = "jdbc:postgresql://127.0.0.1:" + FreePort.find() + "/weir";
    try (HikariDataSource pool = PostgresqlPool.open(settings(url, Duration.ofMillis(250)))) {
      Optional<SQLException> failure = Optional.empty();
      while (failure.isEmpty()) {
        try (Connection connection = pool.getConnection()) {
          throw new AssertionError("something answers: " + connection);
        } catch (SQLException e) {
          failure = ConnectionFailures.latest(pool);
        }
      }

      assertThat(failure.get().getMessage()).contains("refused");
    }
  }

  @Test
  void thereIsNoneOnceConnected() throws SQLException {
    try (HikariDataSource pool =
            OraclePool.open(settings(OracleStandIn.create(), Database.MAX_WAIT));
        Connection connection = pool.getConnection()) {
      assertThat(connection.isClosed()).isFalse();
      assertThat(ConnectionFailures.latest(pool)).isEmpty();
    }
  }
}
