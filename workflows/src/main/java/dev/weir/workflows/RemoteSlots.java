package dev.weir.workflows;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.weir.StoreException;
import dev.weir.slots.SlotRequest;
import dev.weir.workflows.internal.HttpFailure;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Slots of a Weir server, over HTTP. Thread-safe. */
public final class RemoteSlots implements SlotSource, AutoCloseable {
  /** A request with these and the longest ids fits into the body that the server accepts. */
  private static final int MAX_BATCH = 500;

  /** Several times as much as the slots of a request need. */
  private static final int MAX_ANSWER_BYTES = 8 * 1024 * 1024;

  /** The part of an answer that a message repeats. */
  private static final int MAX_SNIPPET = 500;

  private static final Duration MAX_CONNECT_TIMEOUT = Duration.ofSeconds(5);
  private static final String STORE = "weir";
  private static final String NO_CAPACITY = "urn:weir:problem:no-capacity";
  private static final String UNKNOWN_CONFIG = "urn:weir:problem:unknown-config";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Settings settings;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpClient client;

  private record Answered(int status, String body) {}

  /**
   * The address of a Weir server and how to call it.
   *
   * @param url for example {@code https://weir.example.com}; without a trailing slash
   * @param key the key of a client; empty if the server needs none
   * @param timeout the maximum wait for a whole answer
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
            .executor(threads)
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
      request
          .requestedTime()
          .ifPresent(requested -> entry.put("requestedTime", requested.toString()));
    }
    JsonNode answer =
        json(
            send(
                request("/api/v1/slots/batch")
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString(body.toString()))));
    if (!answer.isArray()) {
      throw failure("it returned no list of slots");
    }
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
      return new PacedSlot.Assigned(
          time(entry, "requestedTime"), time(entry, "scheduledTime"), isConfirmed);
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
    Answered answer =
        sendAny(
            request("/api/v1/slots/%s/confirm".formatted(encoded(eventId)))
                .POST(HttpRequest.BodyPublishers.noBody()));
    return isDone(answer)
        ? Optional.of(time(json(answer.body()), "scheduledTime"))
        : Optional.empty();
  }

  @Override
  public void cancel(String eventId) {
    var unused = isDone(sendAny(request("/api/v1/slots/" + encoded(eventId)).DELETE()));
  }

  /** Returns false for an event without a slot, or whose slot has another end. */
  private static boolean isDone(Answered answer) {
    if (answer.status() == 404 || answer.status() == 409) {
      return false;
    }
    if (answer.status() / 100 != 2) {
      throw unexpected(answer);
    }
    return true;
  }

  private static StoreException unexpected(Answered answer) {
    String body = answer.body();
    return failure(
        "it answered %d: %s"
            .formatted(
                answer.status(),
                body.length() > MAX_SNIPPET ? body.substring(0, MAX_SNIPPET) + "…" : body));
  }

  private static Instant time(JsonNode slot, String name) {
    try {
      return Instant.parse(slot.path(name).asText());
    } catch (DateTimeException e) {
      throw failure("it returned an invalid time: " + e.getMessage());
    }
  }

  private HttpRequest.Builder request(String path) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(settings.url() + path));
    if (!settings.key().isEmpty()) {
      request.header("Authorization", "Bearer " + settings.key());
    }
    return request;
  }

  private String send(HttpRequest.Builder request) {
    Answered answer = sendAny(request);
    if (answer.status() != 200) {
      throw unexpected(answer);
    }
    return answer.body();
  }

  private Answered sendAny(HttpRequest.Builder request) {
    CompletableFuture<HttpResponse<InputStream>> response =
        client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofInputStream());
    // The body as well has to arrive in time, which the time-out of a request does not ensure.
    CompletableFuture<Answered> answered = response.thenApplyAsync(RemoteSlots::read, threads);
    try {
      return answered.get(settings.timeout().toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      giveUp(response);
      throw unanswered("Weir did not answer within " + settings.timeout(), e);
    } catch (ExecutionException e) {
      throw failure(e);
    } catch (InterruptedException e) {
      giveUp(response);
      Thread.currentThread().interrupt();
      throw unanswered("the wait for Weir was interrupted", e);
    }
  }

  private static Answered read(HttpResponse<InputStream> response) {
    byte[] bytes;
    try (InputStream body = response.body()) {
      bytes = body.readNBytes(MAX_ANSWER_BYTES + 1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (bytes.length > MAX_ANSWER_BYTES) {
      throw failure("it is longer than %d bytes".formatted(MAX_ANSWER_BYTES));
    }
    return new Answered(response.statusCode(), new String(bytes, StandardCharsets.UTF_8));
  }

  /** Ends the connection of a call, or of the rest of its answer. */
  private static void giveUp(CompletableFuture<HttpResponse<InputStream>> response) {
    response.cancel(true);
    CompletableFuture<?> unused =
        response.thenAccept(
            late -> {
              try {
                late.body().close();
              } catch (IOException e) {
                // The body is dropped, and its connection is closed.
              }
            });
  }

  private StoreException failure(ExecutionException failed) {
    if (failed.getCause() instanceof StoreException unusable) {
      return unusable;
    }
    HttpFailure failure = HttpFailure.of(failed);
    return failure.isUnreachable()
        ? new StoreException(
            STORE,
            StoreException.Outcome.NONE,
            "Weir is unreachable at %s: %s".formatted(settings.url(), failure.reason()),
            failed)
        : unanswered("Weir did not answer: " + failure.reason(), failed);
  }

  private static StoreException unanswered(String message, Exception cause) {
    return new StoreException(STORE, StoreException.Outcome.UNKNOWN, message, cause);
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
    threads.shutdownNow();
  }
}
