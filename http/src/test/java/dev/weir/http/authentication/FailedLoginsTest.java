package dev.weir.http.authentication;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What is left of callers that were refused for their credential. */
final class FailedLoginsTest {
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
  private final FailedLogins logins =
      new FailedLogins(new AuthMetrics(new PrometheusRegistry()), nanos::get);

  private final Logger logger = (Logger) LoggerFactory.getLogger(FailedLogins.class);
  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

  @BeforeEach
  void watch() {
    logged.start();
    logger.addAppender(logged);
    logger.setAdditive(false);
  }

  @AfterEach
  void watchNoMore() {
    logger.detachAppender(logged);
    logger.setAdditive(true);
  }

  @Test
  void logsOnePerSecondAndSaysHowManyItLeftOut() {
    for (int i = 0; i < 1_000; i++) {
      fail();
    }
    nanos.addAndGet(FailedLogins.SPACING.toNanos() - 1);
    fail();
    assertThat(logged.list)
        .singleElement()
        .hasToString("[WARN] A caller was refused for its credential");
    assertThat(logged.list.getFirst().getKeyValuePairs())
        .map(Object::toString)
        .containsExactly(
            "client=\"192.0.2.1\"", "endpoint=\"GET /x\"", "reason=\"INVALID\"", "unlogged=\"0\"");
    nanos.addAndGet(1);
    fail();
    assertThat(logged.list).hasSize(2);
    assertThat(logged.list.getLast().getKeyValuePairs()).last().hasToString("unlogged=\"1000\"");
  }

  @Test
  void logsNothingAboutCallersWithoutACredential() {
    logins.record(AuthMetrics.Failure.MISSING, "192.0.2.1", "GET /x");
    assertThat(logged.list).isEmpty();
  }

  private void fail() {
    logins.record(AuthMetrics.Failure.INVALID, "192.0.2.1", "GET /x");
  }
}
