package dev.weir.notifications.provider;

import dev.weir.internal.WatchedBody;
import dev.weir.notifications.SignedRequests;
import dev.weir.notifications.messages.Message;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Posts messages as JSON to a URL.
 *
 * <p>They are signed, see {@link SignedRequests}. {@code Idempotency-Key} has the id of the
 * message, the same for each repetition.
 *
 * <p>2xx means that the receiver has the message; a {@code Message-Id} in the response is the id
 * that it has there. Receipts name the id of the message itself, in signed requests of their own.
 * 408, 429 and 5xx mean that it has not taken this message, which is tried again, after the time in
 * {@code Retry-After} if there is one, up to five minutes; other recipients are not concerned. No
 * answer means that it may have taken the message. Everything else rejects the message.
 */
public final class WebhookProvider implements SmsProvider {
  /** The name under which deliveries are recorded. */
  public static final String NAME = "webhook";

  public static final String IDEMPOTENCY_KEY = "Idempotency-Key";
  public static final String MESSAGE_ID = "Message-Id";

  private static final Duration CONNECT_PAUSE = Duration.ofSeconds(1);

  /**
   * The client's time-outs end with the head of the response, and the body may never end. They come
   * first, because they know whether there was a connection.
   */
  private static final Duration MARGIN = Duration.ofSeconds(1);

  private final URI url;
  private final SignedRequests signed;
  private final Duration timeout;
  private final InstantSource clock;
  private final HttpClient client;

  /**
   * Creates a provider.
   *
   * @param secret the key of signatures, shared with the receiver
   * @param timeout maximum time until the response
   */
  public WebhookProvider(URI url, String secret, Duration timeout, InstantSource clock) {
    this.url = url;
    this.signed = new SignedRequests(NAME, secret, clock);
    this.timeout = timeout;
    this.clock = clock;
    this.client =
        HttpClient.newBuilder()
            .version(version(url))
            .connectTimeout(timeout)
            // A redirect would repeat a signed body somewhere else.
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();
  }

  /**
   * Without TLS, HTTP/2 begins with an upgrade in the request itself, which some receivers refuse,
   * and some answer after they have acted on the request.
   */
  private static HttpClient.Version version(URI url) {
    return "https".equalsIgnoreCase(url.getScheme())
        ? HttpClient.Version.HTTP_2
        : HttpClient.Version.HTTP_1_1;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Duration maxAnswerTime() {
    return timeout.plus(MARGIN);
  }

  @Override
  public ProviderResult send(Message message) {
    byte[] body = body(message).getBytes(StandardCharsets.UTF_8);
    String timestamp = signed.timestamp();
    HttpRequest request =
        HttpRequest.newBuilder(url)
            .timeout(timeout)
            .header("Content-Type", "application/json")
            .header(SignedRequests.TIMESTAMP, timestamp)
            .header(SignedRequests.SIGNATURE, signed.signature(timestamp, body))
            .header(IDEMPOTENCY_KEY, message.id().toString())
            .POST(WatchedBody.of(body))
            .build();
    CompletableFuture<HttpResponse<Void>> exchange =
        client.sendAsync(request, HttpResponse.BodyHandlers.discarding());
    try {
      return result(exchange.get(timeout.plus(MARGIN).toNanos(), TimeUnit.NANOSECONDS));
    } catch (TimeoutException e) {
      return new ProviderResult.Unknown("the response has not ended within " + timeout);
    } catch (ExecutionException e) {
      return failed(request, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new ProviderResult.Unknown("interrupted");
    } finally {
      exchange.cancel(true);
    }
  }

  private ProviderResult failed(HttpRequest request, ExecutionException failure) {
    return WatchedBody.isUnsent(request, failure.getCause())
        ? new ProviderResult.Unavailable("no connection to " + url.getHost(), CONNECT_PAUSE)
        : new ProviderResult.Unknown("no response: " + failure.getCause());
  }

  private ProviderResult result(HttpResponse<Void> response) {
    int status = response.statusCode();
    if (status / 100 == 2) {
      return new ProviderResult.Taken(response.headers().firstValue(MESSAGE_ID).stream().toList());
    }
    String reason = "HTTP status " + status;
    return status == 408 || status == 429 || status / 100 == 5
        ? new ProviderResult.Retry(reason, retryAfter(response))
        : new ProviderResult.Rejected(reason);
  }

  /** Returns the pause that a response asks for; zero if it does not. */
  private Duration retryAfter(HttpResponse<Void> response) {
    Optional<String> header = response.headers().firstValue("Retry-After");
    return header.isPresent() ? RetryAfter.of(header, clock.instant()) : Duration.ZERO;
  }

  private static String body(Message message) {
    return "{\"messageId\":\"%s\",\"userId\":%d,\"message\":%s,\"parts\":%d}"
        .formatted(message.id(), message.userId(), quoted(message.text()), message.parts());
  }

  private static String quoted(String text) {
    StringBuilder json = new StringBuilder(text.length() + 2).append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        json.append('\\').append(c);
      } else if (c < 0x20) {
        json.append("\\u%04x".formatted((int) c));
      } else {
        json.append(c);
      }
    }
    return json.append('"').toString();
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
