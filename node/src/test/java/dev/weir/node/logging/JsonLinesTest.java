package dev.weir.node.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.OutputStreamAppender;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

/** A line of the log as JSON. */
final class JsonLinesTest {
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();

  private Logger logger() {
    LoggerContext context = new LoggerContext();
    context.setMDCAdapter(new LogbackMDCAdapter());
    JsonLines encoder = new JsonLines();
    encoder.setContext(context);
    encoder.start();
    OutputStreamAppender<ILoggingEvent> appender = new OutputStreamAppender<>();
    appender.setContext(context);
    appender.setEncoder(encoder);
    appender.setOutputStream(written);
    appender.start();
    ch.qos.logback.classic.Logger logger = context.getLogger("dev.weir.test");
    logger.addAppender(appender);
    return logger;
  }

  private String line() {
    return written.toString(StandardCharsets.UTF_8);
  }

  @Test
  void fieldsAreAtTheTopLevel() {
    logger()
        .atInfo()
        .addKeyValue("eventId", "pay-\"1\"\n")
        .addKeyValue("status", 200)
        .addKeyValue("message", "another")
        .log("Slot {}", "assigned");
    assertThat(line())
        .matches("\\{\"time\":\"[^\"]+Z\",.*}\n")
        .contains(
            "\"level\":\"INFO\"",
            "\"logger\":\"dev.weir.test\"",
            "\"message\":\"Slot assigned\",\"eventId\":\"pay-\\\"1\\\"\\n\",\"status\":200,"
                + "\"field.message\":\"another\"}")
        .doesNotContain("kvpList");
    assertThat(line().lines()).hasSize(1);
  }

  @Test
  void anExceptionIsOneFieldOfTheSameLine() {
    logger().error("It failed", new IllegalStateException("why"));
    assertThat(line().lines()).hasSize(1);
    assertThat(line()).contains("\"exception\":\"java.lang.IllegalStateException: why\\n\\tat ");
  }
}
