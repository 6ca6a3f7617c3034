package dev.weir.server.http;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.slf4j.LoggerFactory;

/** Records what is logged while it is open, including our own DEBUG events. */
public final class LogWatch implements AutoCloseable {
  private static final Logger ROOT =
      (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
  private static final Logger OURS = (Logger) LoggerFactory.getLogger("dev.weir");

  private final Level before = OURS.getLevel();
  private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          events.add(event);
        }
      };

  public LogWatch() {
    appender.start();
    ROOT.addAppender(appender);
    // This would only flood the console.
    OURS.addAppender(appender);
    OURS.setAdditive(false);
    OURS.setLevel(Level.DEBUG);
  }

  /** Each event as level, message and key-values. */
  public List<String> lines() {
    return events.stream().map(LogWatch::line).toList();
  }

  public List<String> lines(String level) {
    return lines().stream().filter(line -> line.startsWith(level + " ")).toList();
  }

  public String text() {
    return String.join("\n", lines());
  }

  private static String line(ILoggingEvent event) {
    List<?> pairs = event.getKeyValuePairs() == null ? List.of() : event.getKeyValuePairs();
    String cause =
        event.getThrowableProxy() == null ? "" : " " + event.getThrowableProxy().getMessage();
    return event.getLevel()
        + " "
        + event.getFormattedMessage()
        + pairs.stream().map(pair -> " " + pair).collect(Collectors.joining())
        + cause;
  }

  @Override
  public void close() {
    OURS.setLevel(before);
    OURS.setAdditive(true);
    OURS.detachAppender(appender);
    ROOT.detachAppender(appender);
  }
}
