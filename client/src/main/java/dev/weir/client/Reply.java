package dev.weir.client;

import java.io.IOException;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The whole answer to a {@link Call}.
 *
 * @param body the bytes of the body, decoded; not to be changed
 */
@SuppressWarnings("ArrayRecordComponent") // A reply is passed on and read; it is never compared.
public record Reply(int status, HttpHeaders headers, byte[] body) {
  /** Reads an answer that is no problem. */
  @FunctionalInterface
  public interface Reader<T> {
    /**
     * Returns what the answer says.
     *
     * @throws IOException if it is not the answer of a Weir server
     */
    T read(Reply reply) throws IOException;
  }

  /** Returns the body as text. */
  public String text() {
    return new String(body, StandardCharsets.UTF_8);
  }

  /** Returns the JSON object that the body holds. */
  public JsonObject json() throws IOException {
    return JsonObject.read(body);
  }

  /** Returns the JSON objects in the array that the body holds. */
  public List<JsonObject> jsonArray() throws IOException {
    return JsonObject.readArray(body).stream().map(JsonObject.Element::object).toList();
  }

  /** Returns how long to wait before the next attempt, if the server says so. */
  public Optional<Duration> retryAfter() {
    return headers
        .firstValue("Retry-After")
        .filter(text -> text.length() < 10 && text.chars().allMatch(c -> c >= '0' && c <= '9'))
        .filter(text -> !text.isEmpty())
        .map(text -> Duration.ofSeconds(Long.parseLong(text)));
  }
}
