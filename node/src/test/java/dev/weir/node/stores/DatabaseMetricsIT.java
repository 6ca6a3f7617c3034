package dev.weir.node.stores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.node.lifecycle.StopSignal;
import dev.weir.node.operations.MetricsText;
import dev.weir.store.jdbc.PoolSettings;
import dev.weir.store.jdbc.PostgresqlPool;
import dev.weir.store.tck.internal.Await;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 10, unit = TimeUnit.MINUTES)
final class DatabaseMetricsIT {
  private static final int MAX_CONNECTIONS = 3;

  private final PrometheusRegistry registry = new PrometheusRegistry();

  @Test
  void countConnectionsAndCallersThatWait(@TempDir Path folder) throws Exception {
    try (Database database =
        Database.open(
            new DatabaseSettings(
                Optional.empty(),
                folder,
                new DatabaseSettings.Pool(1, MAX_CONNECTIONS, Duration.ofMinutes(5)),
                true),
            StopSignal.NEVER)) {
      database.measure(registry);
      HikariDataSource pool = database.pool();
      List<Connection> taken = new ArrayList<>();
      for (int i = 0; i < MAX_CONNECTIONS; i++) {
        taken.add(pool.getConnection());
      }
      awaitLine("rate_limiter_database_connections{state=\"in_use\"} 3.0");
      awaitLine("rate_limiter_database_connections{state=\"idle\"} 0.0");
      awaitLine("rate_limiter_database_connections_max 3.0");
      FutureTask<Connection> another = new FutureTask<>(pool::getConnection);
      Thread.ofVirtual().start(another);
      awaitLine("rate_limiter_database_waiting 1.0");
      taken.removeFirst().close();
      taken.add(another.get());
      awaitLine("rate_limiter_database_waiting 0.0");
      awaitLine("rate_limiter_database_wait_seconds_count 4");
      awaitLine("rate_limiter_database_use_seconds_count 1");

      for (Connection each : taken) {
        each.close();
      }
      awaitLine("rate_limiter_database_connections{state=\"in_use\"} 0.0");
    }
  }

  @Test
  void countCallersThatGetNoConnection() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        HikariDataSource pool =
            PostgresqlPool.open(
                new PoolSettings(
                    "jdbc:postgresql://127.0.0.1:" + silent.getLocalPort() + "/weir",
                    "weir",
                    "",
                    0,
                    1,
                    Duration.ofMillis(250)))) {
      pool.setMetricsTrackerFactory(
          (name, connections) -> new DatabaseMetrics(registry, connections));
      assertThat(lines()).contains("rate_limiter_database_wait_timeouts_total 0.0");
      assertThatThrownBy(pool::getConnection).isInstanceOf(SQLTransientConnectionException.class);
      assertThat(lines())
          .contains(
              "rate_limiter_database_wait_timeouts_total 1.0",
              "rate_limiter_database_wait_seconds_count 1");
    }
  }

  /** The pool counts its connections once a second. */
  private void awaitLine(String line) {
    Await.until(() -> lines().contains(line));
  }

  private List<String> lines() {
    return new String(MetricsText.of(registry), StandardCharsets.UTF_8).lines().toList();
  }
}
