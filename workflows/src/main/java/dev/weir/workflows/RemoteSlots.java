package dev.weir.workflows;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.weir.engine.StoreException;
import dev.weir.engine.slots.SlotRequest;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;

/** Slots of a Weir server, over HTTP. Thread-safe. */
public final class RemoteSlots implements SlotSource, AutoCloseable {
  /** A request with these and the longest ids fits into the body that the server accepts. */
  private static final int MAX_BATCH = 500;

  private static final Duration MAX_CONNECT_TIMEOUT = Duration.ofSeconds(5);
  private static final String STORE = "weir";
  private static final String NO_CAPACITY = "urn:weir:problem:no-capacity";
  private static final String UNKNOWN_CONFIG = "urn:weir:problem:unknown-config";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Settings settings;
  private final HttpClient client;

  /**
   * The address of a Weir server and how to call it.
   *
   * @param url for example {@code https://weir.example.com}; without a trailing slash
   * @param key the key of a client; empty if the server needs none
   * @param timeout the maximum wait for an answer
   */
  public record Settings(URI url, String key, Duration timeout) {
    /** Returns settings with a time-out of 30 seconds. */
    public static Settings of(String url, String key) {
      return new Settings(URI.create(url), key, Duration.ofSeconds(30));
    }

    /** Returns the settings without the key. */
    @Override
    public String toString() {
      return "Settings[url=" + url + "]";
    }
  }

  public RemoteSlots(Settings settings) {
    this.settings = settings;
    this.client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(
                settings.timeout().compareTo(MAX_CONNECT_TIMEOUT) < 0
                    ? settings.timeout()
                    : MAX_CONNECT_TIMEOUT)
            .executor(Executors.newVirtualThreadPerTaskExecutor())
            .build();
  }

  @Override
  public List<PacedSlot> assign(List<SlotRequest> requests) {
    List<PacedSlot> slots = new ArrayList<>(requests.size());
    for (int from = 0; from < requests.size(); from += MAX_BATCH) {
      slots.addAll(
          assignBatch(requests.subList(from, Math.min(from + MAX_BATCH, requests.size()))));
    }
    return slots;
  }

  private List<PacedSlot> assignBatch(List<SlotRequest> requests) {
    ArrayNode body = JSON.createArrayNode();
    for (SlotRequest request : requests) {
      ObjectNode entry = body.addObject();
      entry.put("eventId", request.eventId());
      entry.put("configName", request.configName());
      if (!request.requestedTime().equals(SlotRequest.NOW)) {
        entry.put("requestedTime", request.requestedTime().toString());
      }
    }
    JsonNode answer =
        json(
            send(
                request("/api/v1/slots/batch")
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString(body.toString()))));
    if (answer.size() != requests.size()) {
      throw failure("it returned %d slots, not %d".formatted(answer.size(), requests.size()));
    }
    List<PacedSlot> slots = new ArrayList<>(requests.size());
    for (int i = 0; i < requests.size(); i++) {
      slots.add(slot(requests.get(i), answer.get(i)));
    }
    return slots;
  }

  private PacedSlot slot(SlotRequest request, JsonNode entry) {
    if (entry.has("scheduledTime")) {
      boolean isConfirmed = entry.path("replayed").asBoolean() && isConfirmed(request.eventId());
      return new PacedSlot.Assigned(scheduledTime(entry), isConfirmed);
    }
    String detail = entry.path("detail").asText();
    return switch (entry.path("type").asText()) {
      case NO_CAPACITY, UNKNOWN_CONFIG -> new PacedSlot.None(detail);
      default -> throw failure("it refused event %s: %s".formatted(request.eventId(), detail));
    };
  }

  /** The answer to a repeated request does not say whether the work has started. */
  private boolean isConfirmed(String eventId) {
    JsonNode answer = json(send(request("/api/v1/slots?eventId=" + encoded(eventId)).GET()));
    return answer.path("slots").path(0).path("state").asText().equals("confirmed");
  }

  @Override
  public Optional<Instant> confirm(String eventId) {
    HttpResponse<String> response =
        sendAny(
            request("/api/v1/slots/%s/confirm".formatted(encoded(eventId)))
                .POST(HttpRequest.BodyPublishers.noBody()));
    return isDone(response) ? Optional.of(scheduledTime(json(response.body()))) : Optional.empty();
  }

  @Override
  public void cancel(String eventId) {
    var unused = isDone(sendAny(request("/api/v1/slots/" + encoded(eventId)).DELETE()));
  }

  /** Returns false for an event without a slot, or whose slot has another end. */
  private static boolean isDone(HttpResponse<String> response) {
    int status = response.statusCode();
    if (status == 404 || status == 409) {
      return false;
    }
    if (status / 100 != 2) {
      throw failure("it answered %d: %s".formatted(status, response.body()));
    }
    return true;
  }

  private static Instant scheduledTime(JsonNode slot) {
    try {
      return Instant.parse(slot.path("scheduledTime").asText());
    } catch (DateTimeException e) {
      throw failure("it returned an invalid time: " + e.getMessage());
    }
  }

  private HttpRequest.Builder request(String path) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(settings.url() + path)).timeout(settings.timeout());
    if (!settings.key().isEmpty()) {
      request.header("Authorization", "Bearer " + settings.key());
    }
    return request;
  }

  private String send(HttpRequest.Builder request) {
    HttpResponse<String> response = sendAny(request);
    if (response.statusCode() != 200) {
      throw failure("it answered %d: %s".formatted(response.statusCode(), response.body()));
    }
    return response.body();
  }

  private HttpResponse<String> sendAny(HttpRequest.Builder request) {
    try {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (ConnectException e) {
      throw new StoreException(
          STORE, StoreException.Outcome.NONE, "Weir is unreachable: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new StoreException(
          STORE, StoreException.Outcome.UNKNOWN, "Weir did not answer: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException(
          STORE, StoreException.Outcome.UNKNOWN, "the wait for Weir was interrupted", e);
    }
  }

  private static JsonNode json(String body) {
    try {
      return Optional.ofNullable(JSON.readTree(body)).orElseGet(JSON::missingNode);
    } catch (JsonProcessingException e) {
      throw failure("it returned invalid JSON: " + e.getOriginalMessage());
    }
  }

  private static StoreException failure(String what) {
    return new StoreException(
        STORE, StoreException.Outcome.UNKNOWN, "Weir gave no usable answer: " + what);
  }

  /** Encodes a path segment or a query parameter; a space must not become a plus sign. */
  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
