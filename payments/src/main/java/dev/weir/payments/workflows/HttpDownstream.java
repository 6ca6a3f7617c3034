package dev.weir.payments.workflows;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.internal.WatchedBody;
import dev.weir.payments.Payment;
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
 * <p>{@link StatusMeanings} says what the status of an answer means, and {@link AnswerFields} what
 * its body must say if the payment is made. A payment is not called again before {@code
 * Retry-After}. Calls without an answer leave open whether it was made. A call is sent once: the
 * client of the JDK does not repeat a POST, nor a look-up, see {@link SentOnce}. The connection of
 * a call that was given up stays open, because the late answer says that the call has arrived, and
 * what became of it.
 */
public final class HttpDownstream implements Downstream {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration MAX_RETRY_AFTER = Duration.ofHours(1);
  private static final String KEY = "{key}";
  private static final int NOT_FOUND = 404;
  private static final int TOO_MANY = 429;

  private static final ObjectMapper JSON = new ObjectMapper();

  private final URI payments;
  private final Duration timeout;
  private final Settings settings;
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
   * @param lookUp what is added to the path to ask for a payment, with <code>{key}</code> in place
   *     of its id; empty if the downstream does not offer that
   */
  public record Settings(
      URI url,
      Duration timeout,
      String authorization,
      StatusMeanings statuses,
      AnswerFields fields,
      String lookUp) {
    public Settings {
      if (!lookUp.isEmpty() && !(lookUp.startsWith("/") && lookUp.contains(KEY))) {
        throw new IllegalArgumentException(
            "lookUp must begin with / and contain %s, not be \"%s\"".formatted(KEY, lookUp));
      }
    }

    /** Creates settings of a downstream with the usual answers and without a look-up. */
    public Settings(URI url, Duration timeout, String authorization) {
      this(url, timeout, authorization, StatusMeanings.DEFAULT, AnswerFields.DEFAULT, "");
    }

    /** Returns the settings without the credentials. */
    @Override
    public String toString() {
      return "Settings[url=%s, timeout=%s]".formatted(url, timeout);
    }

    private URI at(String path) {
      String base = url.toString();
      return URI.create((base.endsWith("/") ? base.substring(0, base.length() - 1) : base) + path);
    }
  }

  private record Answered(int status, HttpHeaders headers, AnswerBody body) {}

  public HttpDownstream(Settings settings, InstantSource clock) {
    this.payments = settings.at("/payments");
    this.timeout = settings.timeout();
    this.settings = settings;
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
    HttpRequest request = request(payment);
    CompletableFuture<HttpResponse<InputStream>> response = send(request);
    // The body as well has to arrive in time, which the time-out of a request does not ensure.
    CompletableFuture<Answered> answered = response.thenApplyAsync(HttpDownstream::read, threads);
    try {
      return answer(payment, answered.get(timeout.toNanos(), TimeUnit.NANOSECONDS));
    } catch (TimeoutException e) {
      return unanswered("no answer within " + timeout, payment, response, answered);
    } catch (ExecutionException e) {
      return failure(request, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return unanswered("the wait for the answer was interrupted", payment, response, answered);
    }
  }

  private CompletableFuture<HttpResponse<InputStream>> send(HttpRequest request) {
    return client.sendAsync(request, HttpResponse.BodyHandlers.ofInputStream());
  }

  private Answer unanswered(
      String reason,
      Payment payment,
      CompletableFuture<HttpResponse<InputStream>> response,
      CompletableFuture<Answered> answered) {
    return new Answer.Unanswered(
        reason, end(response), answered.thenApply(late -> answer(payment, late)));
  }

  /** Returns the end of a call that was given up, whose connection stays open. */
  private CompletableFuture<Boolean> end(CompletableFuture<HttpResponse<InputStream>> response) {
    CompletableFuture<Boolean> end = new CompletableFuture<>();
    CompletableFuture<?> unused =
        response.whenComplete(
            (late, failure) -> {
              if (failure == null) {
                // Its body as well may take as long as a call.
                CompletableFuture.delayedExecutor(timeout.toNanos(), TimeUnit.NANOSECONDS, threads)
                    .execute(() -> close(late.body()));
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

  @Override
  public boolean hasLookUp() {
    return !settings.lookUp().isEmpty();
  }

  @Override
  public LookUp lookUp(Payment payment) {
    if (payment.paymentId().matches("\\.{1,2}")) {
      // As a segment of a path it would be another path.
      return new LookUp.NotKnown();
    }
    URI address = settings.at(settings.lookUp().replace(KEY, key(payment.paymentId())));
    HttpRequest request =
        authorized(HttpRequest.newBuilder(address)).method("GET", new SentOnce()).build();
    CompletableFuture<HttpResponse<InputStream>> response = send(request);
    try {
      return found(
          payment,
          response
              .thenApplyAsync(HttpDownstream::read, threads)
              .get(timeout.toNanos(), TimeUnit.NANOSECONDS));
    } catch (TimeoutException e) {
      return new LookUp.Unanswered("no answer to the look-up within " + timeout, end(response));
    } catch (ExecutionException e) {
      HttpFailure failed = HttpFailure.of(request, e);
      return new LookUp.Unclear("the look-up failed: " + failed.reason(), !failed.isUnreachable());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new LookUp.Unanswered("the look-up was interrupted", end(response));
    }
  }

  private LookUp found(Payment payment, Answered answered) {
    if (answered.status() == NOT_FOUND) {
      return new LookUp.NotKnown();
    }
    if (settings.statuses().of(answered.status()) != StatusMeanings.Meaning.PAID) {
      return new LookUp.Unclear(
          retryAfter(answered.headers()),
          "the look-up has status " + answered.status(),
          isOfProxy(answered.status()));
    }
    AnswerBody body = answered.body();
    return switch (settings.fields().compare(payment, body)) {
      // An API that knows nothing of the key may answer so too, as with an empty list.
      case AnswerFields.Said.Agrees agrees ->
          agrees.isAbout() || hasReference(body)
              ? new LookUp.Made(reference(body))
              : new LookUp.Unclear("the look-up says nothing about the payment", false);
      case AnswerFields.Said.NotPaid notPaid -> new LookUp.Unclear(notPaid.reason(), false);
      case AnswerFields.Said.Contradicts other -> new LookUp.Unclear(other.reason(), false);
    };
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
    return authorized(HttpRequest.newBuilder(payments))
        .header("Content-Type", "application/json")
        .header("Idempotency-Key", key(payment.paymentId()))
        .POST(WatchedBody.of(body.getBytes(StandardCharsets.UTF_8)))
        .build();
  }

  private HttpRequest.Builder authorized(HttpRequest.Builder request) {
    return settings.authorization().isEmpty()
        ? request
        : request.header("Authorization", settings.authorization());
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
          AnswerBody.read(
              body,
              response.headers().firstValue("Content-Type").orElse(""),
              response.headers().firstValue("Content-Encoding").orElse("")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Answer answer(Payment payment, Answered answered) {
    int status = answered.status();
    AnswerBody body = answered.body();
    String reason = "status " + status + detail(body);
    Duration after = retryAfter(answered.headers());
    return switch (settings.statuses().of(status)) {
      case PAID ->
          switch (settings.fields().compare(payment, body)) {
            case AnswerFields.Said.Agrees agrees -> new Answer.Paid(reference(body));
            case AnswerFields.Said.NotPaid notPaid ->
                new Answer.Unknown(
                    after, "status %d, but %s".formatted(status, notPaid.reason()), false);
            case AnswerFields.Said.Contradicts other ->
                new Answer.Contradicted("status %d, but %s".formatted(status, other.reason()));
          };
      case IN_PROGRESS -> new Answer.Unknown(after, reason + ", in progress", false);
      case REFUSED -> new Answer.Rejected(reason);
      case RETRY -> new Answer.Retry(after, reason, status == TOO_MANY);
      case UNKNOWN -> new Answer.Unknown(after, reason, isOfProxy(status));
    };
  }

  private static boolean hasReference(AnswerBody body) {
    return body.json().path("reference").isTextual() && !reference(body).isBlank();
  }

  private static String reference(AnswerBody body) {
    return body.json().path("reference").asText();
  }

  private static String detail(AnswerBody body) {
    String detail = body.json().path("reason").asText(body.json().path("detail").asText());
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

  private static Answer failure(HttpRequest request, ExecutionException failure) {
    HttpFailure failed = HttpFailure.of(request, failure);
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
