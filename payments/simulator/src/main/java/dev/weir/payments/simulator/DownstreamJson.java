package dev.weir.payments.simulator;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import dev.weir.payments.simulator.calls.CallResult;
import dev.weir.payments.simulator.calls.CallStatistics;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Reads requests to the simulated payment API, and writes its responses. */
final class DownstreamJson {
  private static final JsonFactory JSON =
      JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private DownstreamJson() {}

  /** Writes the members of an object. */
  @FunctionalInterface
  private interface Members {
    void write(JsonGenerator json) throws IOException;
  }

  /** Returns the answer to a payment that was made. */
  static String paid(String reference) {
    return text(json -> json.writeStringField("reference", reference));
  }

  /** Returns the answer to a payment that was not made. */
  static String problem(String reason) {
    return text(json -> json.writeStringField("reason", reason));
  }

  /** Returns the counts of a simulator. */
  static String summary(int ceiling, CallStatistics calls) {
    return text(
        json -> {
          json.writeNumberField("ceiling", ceiling);
          json.writeNumberField("maxInSecond", calls.maxInSecond());
          json.writeBooleanField("ceilingHeld", calls.within(ceiling));
          json.writeNumberField("booked", calls.booked());
          json.writeNumberField("calls", calls.calls());
          json.writeObjectFieldStart("results");
          for (CallResult result : CallResult.values()) {
            json.writeNumberField(result.name(), calls.count(result));
          }
          json.writeEndObject();
          if (calls.first().isPresent()) {
            json.writeStringField("first", calls.first().get().toString());
            json.writeStringField("last", calls.last().orElseThrow().toString());
          }
        });
  }

  /**
   * Returns a text member of the object in a body; empty if the body is not an object or the object
   * has no such member.
   */
  static Optional<String> member(byte[] body, String name) {
    Optional<String> found = Optional.empty();
    try (JsonParser parser = JSON.createParser(body)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return Optional.empty();
      }
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        String member = parser.currentName();
        if (parser.nextToken() == JsonToken.VALUE_STRING && member.equals(name)) {
          found = Optional.of(parser.getText());
        }
        parser.skipChildren();
      }
      return parser.nextToken() == null ? found : Optional.empty();
    } catch (JsonProcessingException notJson) {
      return Optional.empty();
    } catch (IOException impossible) {
      throw new UncheckedIOException("bytes were read", impossible);
    }
  }

  private static String text(Members members) {
    return new String(bytes(members), StandardCharsets.UTF_8);
  }

  private static byte[] bytes(Members members) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
    try (JsonGenerator json = JSON.createGenerator(bytes)) {
      json.writeStartObject();
      members.write(json);
      json.writeEndObject();
    } catch (IOException impossible) {
      throw new UncheckedIOException("bytes were written to memory", impossible);
    }
    return bytes.toByteArray();
  }
}
