package dev.weir.server.logging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.logging.OneLog;
import dev.weir.server.http.LogWatch;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What would be a stack trace on standard error is an event of the log. */
final class OneLogTest {
  private final Thread.UncaughtExceptionHandler before =
      Thread.getDefaultUncaughtExceptionHandler();
  private final PrintStream error = System.err;
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();

  @BeforeEach
  void install() {
    System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
    OneLog.install();
  }

  @AfterEach
  void restore() throws IOException {
    System.setErr(error);
    Thread.setDefaultUncaughtExceptionHandler(before);
    LogManager.getLogManager().readConfiguration();
  }

  @Test
  void whatALibraryLogsIsInTheLog() {
    Logger library = Logger.getLogger("a.library");
    try (LogWatch log = new LogWatch()) {
      LogRecord event = new LogRecord(Level.WARNING, "call {0} failed");
      event.setLoggerName("a.library");
      event.setParameters(new Object[] {7});
      event.setThrown(new IllegalStateException("broken"));
      library.log(event);
      library.log(Level.SEVERE, "{not a format");
      assertThat(log.lines("WARN")).containsExactly("WARN call 7 failed broken");
      assertThat(log.lines("ERROR")).containsExactly("ERROR {not a format");
    }
    assertThat(written.toString(StandardCharsets.UTF_8)).isEmpty();
  }

  @Test
  void whatEndsAThreadIsInTheLog() throws InterruptedException {
    try (LogWatch log = new LogWatch()) {
      Thread thread =
          Thread.ofPlatform()
              .name("worker")
              .start(
                  () -> {
                    throw new IllegalStateException("broken");
                  });
      thread.join();
      assertThat(log.lines("ERROR"))
          .containsExactly("ERROR Thread worker ended by an error broken");
    }
    assertThat(written.toString(StandardCharsets.UTF_8)).isEmpty();
  }
}
