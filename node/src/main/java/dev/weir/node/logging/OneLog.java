package dev.weir.node.logging;

import java.text.MessageFormat;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings everything into the one log, in its format: what libraries write to {@code
 * java.util.logging}, such as gRPC, and what ends a thread. Both would go to standard error as
 * stack traces of many lines.
 */
public final class OneLog extends Handler {
  private static final Logger log = LoggerFactory.getLogger(OneLog.class);

  private OneLog() {}

  /** Installs it for this process. Called after the format of the log is set. */
  public static void install() {
    LogManager.getLogManager().reset();
    java.util.logging.Logger root = LogManager.getLogManager().getLogger("");
    root.setLevel(Level.INFO);
    root.addHandler(new OneLog());
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, failure) -> log.error("Thread {} ended by an error", thread.getName(), failure));
  }

  @Override
  public void publish(@Nullable LogRecord event) {
    if (event == null) {
      return;
    }
    String name = event.getLoggerName() == null ? "java.util.logging" : event.getLoggerName();
    org.slf4j.event.Level level = level(event.getLevel());
    LoggerFactory.getLogger(name).atLevel(level).setCause(event.getThrown()).log("{}", text(event));
  }

  private static org.slf4j.event.Level level(Level level) {
    if (level.intValue() >= Level.SEVERE.intValue()) {
      return org.slf4j.event.Level.ERROR;
    }
    if (level.intValue() >= Level.WARNING.intValue()) {
      return org.slf4j.event.Level.WARN;
    }
    return level.intValue() >= Level.INFO.intValue()
        ? org.slf4j.event.Level.INFO
        : org.slf4j.event.Level.DEBUG;
  }

  private static String text(LogRecord event) {
    String message = event.getMessage() == null ? "" : event.getMessage();
    Object[] values = event.getParameters();
    if (values == null || values.length == 0) {
      return message;
    }
    try {
      return MessageFormat.format(message, values);
    } catch (IllegalArgumentException e) {
      return message;
    }
  }

  @Override
  public void flush() {}

  @Override
  public void close() {}
}
