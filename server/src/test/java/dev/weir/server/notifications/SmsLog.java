package dev.weir.server.notifications;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.weir.notifications.provider.LogProvider;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.LoggerFactory;

/** What the provider has logged, for each user in its order. */
final class SmsLog implements AutoCloseable {
  private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(LogProvider.class);
  private static final Pattern LINE = Pattern.compile("SMS Sent: (\\d+): (.*)", Pattern.DOTALL);

  private final Map<Long, List<String>> texts = new ConcurrentHashMap<>();
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          Matcher line = LINE.matcher(event.getFormattedMessage());
          if (line.matches()) {
            texts
                .computeIfAbsent(Long.parseLong(line.group(1)), any -> new CopyOnWriteArrayList<>())
                .add(line.group(2));
          }
        }
      };

  SmsLog() {
    appender.start();
    LOGGER.addAppender(appender);
    // The lines of a thousand messages are of use to no reader of the test's output.
    LOGGER.setAdditive(false);
  }

  List<String> of(long userId) {
    return List.copyOf(texts.getOrDefault(userId, List.of()));
  }

  @Override
  public void close() {
    LOGGER.detachAppender(appender);
    LOGGER.setAdditive(true);
  }
}
