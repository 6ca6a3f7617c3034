package dev.weir.spring;

import dev.weir.StoreException;
import dev.weir.limits.CircuitBreaker;
import dev.weir.limits.internal.LimitNames;
import dev.weir.rules.RateLimitFields;
import dev.weir.rules.Request;
import dev.weir.rules.Ticket;
import dev.weir.rules.internal.RepeatedHeaderException;
import dev.weir.spring.WeirProperties.OnFailure;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Consults a Weir server about each request, as a proxy would.
 *
 * <p>If the server is unavailable, a few requests wait for a time-out, and then none does for a
 * while. Meanwhile requests pass or get 503, depending on the settings.
 */
final class RemoteGate implements Gate, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RemoteGate.class);
  private static final Duration MAX_CONNECT_TIMEOUT = Duration.ofSeconds(1);
  private static final int PASSED = 200;
  private static final int REFUSED = 429;
  private static final int UNAVAILABLE = 503;
  private static final String DECISION = "Weir-Decision";
  private static final String GRANTED = "granted";

  /** In a problem that says that nothing was counted. */
  private static final String UNCOUNTED = "\"outcome\":\"none\"";

  private final Settings settings;
  private final FlowObserver observer;
  private final HttpClient client;
  private final CircuitBreaker breaker;

  /** Why the last request was not decided. */
  private volatile String problem = "";

  /**
   * The address of the Weir server and how to call it.
   *
   * @param url without a trailing slash
   * @param headers the headers of a request that are forwarded
   */
  record Settings(
      URI url, Optional<String> key, Duration timeout, OnFailure onFailure, List<String> headers) {
    /** Returns the settings without the key. */
    @Override
    public String toString() {
      return "Settings[url=" + url + "]";
    }
  }

  RemoteGate(Settings settings, FlowObserver observer) {
    this.settings = settings;
    this.observer = observer;
    this.client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(
                settings.timeout().compareTo(MAX_CONNECT_TIMEOUT) < 0
                    ? settings.timeout()
                    : MAX_CONNECT_TIMEOUT)
            .executor(Executors.newVirtualThreadPerTaskExecutor())
            .build();
    this.breaker =
        new CircuitBreaker(
            CircuitBreaker.Settings.DEFAULT,
            () -> TimeUnit.NANOSECONDS.toMicros(System.nanoTime()),
            () -> ThreadLocalRandom.current().nextLong(),
            this::log);
  }

  private void log(CircuitBreaker.State state) {
    switch (state) {
      case OPEN -> log.warn("Weir at {} is not called for a while: {}", settings.url(), problem);
      case CLOSED -> log.info("Weir at {} decides again", settings.url());
      case HALF_OPEN -> {}
    }
  }

  @Override
  public CompletableFuture<Admission> admit(Request request) {
    HttpRequest httpRequest;
    try {
      httpRequest = httpRequest(request);
    } catch (RepeatedHeaderException e) {
      return CompletableFuture.completedFuture(
          new Admission.Refused(List.of(), Problem.repeatedHeader(e)));
    }
    // From here on the breaker must always be notified of the outcome.
    if (!breaker.mayTry()) {
      observer.remoteDecided(FlowObserver.Outcome.FAILED);
      return CompletableFuture.completedFuture(undecided(StoreException.Outcome.NONE));
    }
    CompletableFuture<HttpResponse<String>> answer =
        answer(httpRequest, HttpResponse.BodyHandlers.ofString());
    CompletableFuture<Admission> decision = answer.handle(this::admission);
    var unused =
        decision.whenComplete(
            (admission, failure) -> {
              // A cancelled stage does not cancel those before it, and is not computed.
              if (decision.isCancelled()) {
                answer.cancel(true);
                breaker.notCalled();
              }
            });
    return decision;
  }

  /**
   * Sends a request. The client's own time-out ends with the headers of the response, and a server
   * may stall or go on for ever in the body, so the whole exchange has one here. It ends too if the
   * result is cancelled.
   */
  private <T> CompletableFuture<HttpResponse<T>> answer(
      HttpRequest request, HttpResponse.BodyHandler<T> body) {
    CompletableFuture<HttpResponse<T>> exchange = client.sendAsync(request, body);
    CompletableFuture<HttpResponse<T>> answer =
        exchange.copy().orTimeout(settings.timeout().toNanos(), TimeUnit.NANOSECONDS);
    var unused = answer.whenComplete((response, failure) -> exchange.cancel(true));
    return answer;
  }

  private HttpRequest httpRequest(Request request) {
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(
                settings.url().resolve(settings.url().getRawPath() + "/api/v1/authorize"))
            .timeout(settings.timeout())
            .header("X-Original-Method", request.method())
            .header("X-Original-URI", request.path().text())
            .header("X-Forwarded-For", request.clientAddress());
    settings.key().ifPresent(key -> builder.header("Authorization", "Bearer " + key));
    for (String name : settings.headers()) {
      String value = request.header(name);
      if (value != null && !value.isBlank()) {
        builder.header(name, isSendable(value) ? value : LimitNames.digest(value.strip()));
      }
    }
    return builder.build();
  }

  /**
   * Returns true if the value can be sent. The client would replace characters that are not ASCII
   * with question marks, so that different values would be counted as one.
   */
  static boolean isSendable(String value) {
    return value.chars().allMatch(c -> c == '\t' || (c >= ' ' && c < 0x7F));
  }

  private Admission admission(
      @Nullable HttpResponse<String> response, @Nullable Throwable failure) {
    if (failure != null && isCancellation(failure)) {
      breaker.notCalled();
      return undecided(StoreException.Outcome.UNKNOWN);
    }
    if (response == null || !isWeirs(response)) {
      problem =
          response == null
              ? String.valueOf(failure)
              : "it responds with " + response.statusCode() + ", which is not a response of Weir";
      breaker.failed();
      observer.remoteDecided(FlowObserver.Outcome.FAILED);
      return undecided(StoreException.Outcome.UNKNOWN);
    }
    breaker.succeeded();
    List<Admission.Field> fields = fields(response);
    return switch (response.statusCode()) {
      case PASSED -> {
        observer.remoteDecided(FlowObserver.Outcome.ALLOWED);
        yield new Admission.Passed(fields, Ticket.NONE);
      }
      case REFUSED -> {
        observer.remoteDecided(FlowObserver.Outcome.REFUSED);
        yield new Admission.Refused(fields, new Problem(REFUSED, response.body()));
      }
      case UNAVAILABLE -> {
        // The server says so itself, once for each outage.
        observer.remoteDecided(FlowObserver.Outcome.FAILED);
        log.debug("Weir at {} cannot decide: {}", settings.url(), response.body());
        yield new Admission.Refused(
            fields,
            Problem.undecided(StoreException.Outcome.of(!response.body().contains(UNCOUNTED))));
      }
      default -> {
        // The server is available but does not allow this request. A client may have caused that,
        // and a rule that should fail open does so on the server.
        observer.remoteDecided(FlowObserver.Outcome.FAILED);
        log.warn(
            "Weir at {} answers {}: {}", settings.url(), response.statusCode(), response.body());
        yield new Admission.Refused(fields, Problem.undecided(StoreException.Outcome.NONE));
      }
    };
  }

  /** Returns true if the client has left: neither a success nor a failure of the server. */
  private static boolean isCancellation(Throwable failure) {
    return failure instanceof CancellationException
        || failure.getCause() instanceof CancellationException;
  }

  /**
   * Returns true for a grant that is marked as Weir's, and for a problem; others come from
   * elsewhere.
   */
  private static boolean isWeirs(HttpResponse<?> response) {
    return response.statusCode() == PASSED
        ? response.headers().firstValue(DECISION).filter(GRANTED::equals).isPresent()
        : response
            .headers()
            .firstValue("Content-Type")
            .filter(Problem.MEDIA_TYPE::equals)
            .isPresent();
  }

  private static List<Admission.Field> fields(HttpResponse<?> response) {
    List<Admission.Field> fields = new ArrayList<>();
    for (Map.Entry<String, List<String>> header : response.headers().map().entrySet()) {
      String name = header.getKey().toLowerCase(Locale.ROOT);
      if (name.startsWith("ratelimit")
          || name.startsWith("x-ratelimit-")
          || name.equals("retry-after")) {
        header.getValue().forEach(value -> fields.add(new Admission.Field(header.getKey(), value)));
      }
    }
    return fields;
  }

  private Admission undecided(StoreException.Outcome outcome) {
    return switch (settings.onFailure()) {
      case OPEN -> new Admission.Passed(List.of(), Ticket.NONE);
      case CLOSED -> {
        List<Admission.Field> fields = new ArrayList<>();
        RateLimitFields.addRetryAfter(
            (name, value) -> fields.add(new Admission.Field(name, value)),
            breaker.retryAfterMicros());
        yield new Admission.Refused(fields, Problem.undecided(outcome));
      }
    };
  }

  @Override
  public void end(Ticket ticket) {}

  /** Cancels the exchange if it is not over, so that the server gives its place to another. */
  @Override
  public void leave(CompletableFuture<Admission> decision) {
    decision.cancel(true);
  }

  /** Returns this gate, because it never blocks. */
  @Override
  public Gate on(Executor threads) {
    return this;
  }

  @Override
  public Status status() {
    Map<String, Object> details = Map.of("weir", settings.url().toString());
    HttpRequest request =
        HttpRequest.newBuilder(
                settings.url().resolve(settings.url().getRawPath() + "/health/ready"))
            .timeout(settings.timeout())
            .build();
    try {
      int status = answer(request, HttpResponse.BodyHandlers.discarding()).get().statusCode();
      return new Status(details, status == PASSED ? "" : "Weir answers " + status);
    } catch (ExecutionException e) {
      return new Status(details, "Weir does not answer");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Status(details, "the wait for the answer was interrupted");
    }
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
