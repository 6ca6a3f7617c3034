package dev.weir.node.logging;

import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.EncoderBase;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.KeyValuePair;

/**
 * Encodes each log event as one line with a JSON object. Its top-level fields are {@code time},
 * {@code level}, {@code logger}, {@code thread}, {@code message}, then those of the event, such as
 * {@code eventId}, and {@code exception} with its stack trace. Referenced in {@code logback.xml}.
 */
public final class JsonLines extends EncoderBase<ILoggingEvent> {
  private static final byte[] NOTHING = {};

  private static final Set<String> OWN =
      Set.of("time", "level", "logger", "thread", "message", "exception");

  private final JsonFactory factory = new JsonFactory();
  private final ThrowableProxyConverter stackTraces = new ThrowableProxyConverter();

  @Override
  public void start() {
    stackTraces.start();
    super.start();
  }

  @Override
  public byte[] headerBytes() {
    return NOTHING;
  }

  @Override
  public byte[] footerBytes() {
    return NOTHING;
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    ByteArrayOutputStream line = new ByteArrayOutputStream(256);
    try (JsonGenerator json = factory.createGenerator(line)) {
      json.writeStartObject();
      json.writeStringField("time", time(event).toString());
      json.writeStringField("level", event.getLevel().toString());
      json.writeStringField("logger", event.getLoggerName());
      json.writeStringField("thread", event.getThreadName());
      json.writeStringField("message", event.getFormattedMessage());
      for (Map.Entry<String, @Nullable Object> field : fields(event).entrySet()) {
        write(json, field.getKey(), field.getValue());
      }
      if (event.getThrowableProxy() != null) {
        json.writeStringField("exception", stackTraces.convert(event).strip());
      }
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory cannot fail", e);
    }
    line.write('\n');
    return line.toByteArray();
  }

  private static Instant time(ILoggingEvent event) {
    return event.getInstant() == null
        ? Instant.ofEpochMilli(event.getTimeStamp())
        : event.getInstant();
  }

  /**
   * Returns the fields of the event. The last of several fields with the same name wins; a field
   * whose name is reserved gets a prefix.
   */
  private static Map<String, @Nullable Object> fields(ILoggingEvent event) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    List<KeyValuePair> pairs = event.getKeyValuePairs();
    if (pairs != null) {
      for (KeyValuePair pair : pairs) {
        fields.put(OWN.contains(pair.key) ? "field." + pair.key : pair.key, pair.value);
      }
    }
    return fields;
  }

  private static void write(JsonGenerator json, String name, @Nullable Object value)
      throws IOException {
    switch (value) {
      case Integer number -> json.writeNumberField(name, number);
      case Long number -> json.writeNumberField(name, number);
      case Boolean flag -> json.writeBooleanField(name, flag);
      case null -> json.writeNullField(name);
      default -> json.writeStringField(name, value.toString());
    }
  }
}
