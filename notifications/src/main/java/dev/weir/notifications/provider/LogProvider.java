package dev.weir.notifications.provider;

import dev.weir.notifications.messages.Message;
import java.time.Duration;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes messages to the log, as {@code SMS Sent: userId: text}. */
public final class LogProvider implements SmsProvider {
  private static final Logger log = LoggerFactory.getLogger(LogProvider.class);

  private final Consumer<String> lines;

  public LogProvider() {
    this(log::info);
  }

  /** Creates a provider that writes lines elsewhere. */
  public LogProvider(Consumer<String> lines) {
    this.lines = lines;
  }

  @Override
  public String name() {
    return "log";
  }

  @Override
  public Duration maxAnswerTime() {
    return Duration.ofSeconds(1);
  }

  @Override
  public ProviderResult send(Message message) {
    lines.accept("SMS Sent: " + message.userId() + ": " + oneLine(message.text()));
    return ProviderResult.Taken.WITHOUT_ID;
  }

  /** A text must not be able to forge further lines of the log. */
  private static String oneLine(String text) {
    StringBuilder line = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            c -> {
              if (Character.getType(c) == Character.CONTROL || c == 0x2028 || c == 0x2029) {
                line.append("\\u%04X".formatted(c));
              } else {
                line.appendCodePoint(c);
              }
            });
    return line.toString();
  }
}
