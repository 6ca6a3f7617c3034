package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.metrics.AuthMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What is left of callers that were refused for their credential. */
final class FailedLoginsTest {
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
  private final FailedLogins logins =
      new FailedLogins(new AuthMetrics(new PrometheusRegistry()), nanos::get);

  @Test
  void logsOnePerSecondAndSaysHowManyItLeftOut() {
    try (LogWatch logs = new LogWatch()) {
      for (int i = 0; i < 1_000; i++) {
        fail();
      }
      nanos.addAndGet(FailedLogins.SPACING.toNanos() - 1);
      fail();
      assertThat(logs.lines("WARN"))
          .containsExactly(
              "WARN A caller was refused for its credential client=\"192.0.2.1\""
                  + " endpoint=\"GET /x\" reason=\"INVALID\" unlogged=\"0\"");
      nanos.addAndGet(1);
      fail();
      assertThat(logs.lines("WARN")).hasSize(2).last().asString().contains("unlogged=\"1000\"");
    }
  }

  @Test
  void logsNothingAboutCallersWithoutACredential() {
    try (LogWatch logs = new LogWatch()) {
      logins.record(AuthMetrics.Failure.MISSING, "192.0.2.1", "GET /x");
      assertThat(logs.lines()).isEqualTo(List.of());
    }
  }

  private void fail() {
    logins.record(AuthMetrics.Failure.INVALID, "192.0.2.1", "GET /x");
  }
}
