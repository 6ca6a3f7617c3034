package dev.weir.workflows.payments;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.engine.payments.Payment;
import dev.weir.workflows.internal.HttpFailure;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A downstream over HTTP: {@code POST /payments} with the payment as JSON and its id, in percent
 * encoding, as {@code Idempotency-Key}.
 *
 * <p>200 and 201 mean paid; 400, 402, 409, 410, 413, 415 and 422 mean refused for good. After 408,
 * 425, 429 and 503 the payment is tried again, not before {@code Retry-After}; so it is after
 * redirects and other 4xx, because a wrong address or an expired key must not refuse every payment.
 * Other 2xx and 5xx, and calls without an answer, leave open whether it was made. A call is sent
 * once: the client of the JDK does not repeat a POST. The connection of a call that was given up
 * stays open, because the late answer says that the call has arrived.
 */
public final class HttpDownstream implements Downstream {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration MAX_RETRY_AFTER = Duration.ofHours(1);
  private static final int MAX_ANSWER_BYTES = 64 * 1024;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final URI payments;
  private final Duration timeout;
  private final String authorization;
  private final InstantSource clock;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpClient client;
  private volatile boolean isClosed;

  /**
   * The address of a downstream and how to call it.
   *
   * @param url base of its address; {@code /payments} is added to its path
   * @param timeout maximum time of a call
   * @param authorization value of the header field {@code Authorization}; empty for none
   */
  public record Settings(URI url, Duration timeout, String authorization) {
    /** Returns the settings without the credentials. */
    @Override
    public String toString() {
      return "Settings[url=%s, timeout=%s]".formatted(url, timeout);
    }
  }

  private record Answered(int status, HttpHeaders headers, String body) {}

  public HttpDownstream(Settings settings, InstantSource clock) {
    String base = settings.url().toString();
    this.payments = URI.create((base.endsWith("/") ? base : base + "/") + "payments");
    this.timeout = settings.timeout();
    this.authorization = settings.authorization();
    this.clock = clock;
    this.client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(timeout.compareTo(CONNECT_TIMEOUT) < 0 ? timeout : CONNECT_TIMEOUT)
            .executor(threads)
            .build();
  }

  @Override
  public Duration maxCallTime() {
    return timeout;
  }

  @Override
  public Answer pay(Payment payment) {
    CompletableFuture<HttpResponse<InputStream>> response =
        client.sendAsync(request(payment), HttpResponse.BodyHandlers.ofInputStream());
    // The body as well has to arrive in time, which the time-out of a request does not ensure.
    CompletableFuture<Answered> answered = response.thenApplyAsync(HttpDownstream::read, threads);
    try {
      return answer(answered.get(timeout.toNanos(), TimeUnit.NANOSECONDS));
    } catch (TimeoutException e) {
      return new Answer.Unanswered("no answer within " + timeout, end(response));
    } catch (ExecutionException e) {
      return failure(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Answer.Unanswered("the wait for the answer was interrupted", end(response));
    }
  }

  /** Returns the end of a call that was given up, whose connection stays open. */
  private CompletableFuture<Boolean> end(CompletableFuture<HttpResponse<InputStream>> response) {
    CompletableFuture<Boolean> end = new CompletableFuture<>();
    CompletableFuture<?> unused =
        response.whenComplete(
            (late, failure) -> {
              if (failure == null) {
                close(late.body());
                end.complete(!isOfProxy(late.statusCode()));
              } else if (!isClosed) {
                // A connection that this side has closed says nothing about the call.
                end.complete(false);
              }
            });
    CompletableFuture<?> unusedToo =
        end.whenComplete(
            (isAnswered, failure) -> {
              if (failure != null) {
                response.cancel(true);
              }
            });
    return end;
  }

  private static void close(InputStream body) {
    try {
      body.close();
    } catch (IOException e) {
      // The body is dropped, and its connection is closed.
    }
  }

  /** Returns whether a proxy has got no answer, while the call may be on its way behind it. */
  private static boolean isOfProxy(int status) {
    return status == 502 || status == 504;
  }

  private HttpRequest request(Payment payment) {
    String body =
        JSON.createObjectNode()
            .put("paymentId", payment.paymentId())
            .put("amount", payment.amount().toPlainString())
            .put("currency", payment.currency())
            .put("debtorAccount", payment.debtorAccount())
            .put("creditorAccount", payment.creditorAccount())
            .put("reference", payment.reference())
            .toString();
    HttpRequest.Builder request =
        HttpRequest.newBuilder(payments)
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", key(payment.paymentId()))
            .POST(HttpRequest.BodyPublishers.ofString(body));
    if (!authorization.isEmpty()) {
      request.header("Authorization", authorization);
    }
    return request.build();
  }

  /** Returns an id in the characters that a header field may have. */
  static String key(String paymentId) {
    return URLEncoder.encode(paymentId, StandardCharsets.UTF_8)
        .replace("+", "%20")
        .replace("*", "%2A")
        .replace("%7E", "~");
  }

  private static Answered read(HttpResponse<InputStream> response) {
    try (InputStream body = response.body()) {
      return new Answered(
          response.statusCode(),
          response.headers(),
          new String(body.readNBytes(MAX_ANSWER_BYTES), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Answer answer(Answered answered) {
    int status = answered.status();
    JsonNode body = json(answered.body());
    String reason = "status " + status + detail(body);
    return switch (status) {
      case 200, 201 -> new Answer.Paid(body.path("reference").asText());
      case 400, 402, 409, 410, 413, 415, 422 -> new Answer.Rejected(reason);
      case 429 -> new Answer.Retry(retryAfter(answered.headers()), reason, true);
      case 503 -> new Answer.Retry(retryAfter(answered.headers()), reason);
      default ->
          status / 100 == 2 || status / 100 == 5
              ? new Answer.Unknown(reason, isOfProxy(status))
              : new Answer.Retry(retryAfter(answered.headers()), reason);
    };
  }

  /** Returns the body as JSON; an empty node if it is something else. */
  private static JsonNode json(String body) {
    try {
      JsonNode node = JSON.readTree(body);
      return node == null ? JSON.missingNode() : node;
    } catch (JsonProcessingException e) {
      return JSON.missingNode();
    }
  }

  private static String detail(JsonNode body) {
    String detail = body.path("reason").asText(body.path("detail").asText());
    return detail.isEmpty() ? "" : ": " + detail;
  }

  private Duration retryAfter(HttpHeaders headers) {
    Duration wait = headers.firstValue("Retry-After").map(this::wait).orElse(Duration.ZERO);
    if (wait.isNegative()) {
      return Duration.ZERO;
    }
    return wait.compareTo(MAX_RETRY_AFTER) > 0 ? MAX_RETRY_AFTER : wait;
  }

  /** Reads seconds or a date; anything else counts as no wait. */
  private Duration wait(String value) {
    if (value.matches("[0-9]+")) {
      return value.matches("0*[0-9]{1,9}")
          ? Duration.ofSeconds(Long.parseLong(value))
          : MAX_RETRY_AFTER;
    }
    try {
      return Duration.between(
          clock.instant(), DateTimeFormatter.RFC_1123_DATE_TIME.parse(value, Instant::from));
    } catch (DateTimeException e) {
      return Duration.ZERO;
    }
  }

  private static Answer failure(ExecutionException failure) {
    HttpFailure failed = HttpFailure.of(failure);
    return failed.isUnreachable()
        ? new Answer.Retry(Duration.ZERO, "unreachable: " + failed.reason())
        : new Answer.Unknown("the connection failed: " + failed.reason(), true);
  }

  @Override
  public void close() {
    isClosed = true;
    client.shutdownNow();
    threads.shutdownNow();
  }
}
