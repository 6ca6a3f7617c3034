package dev.weir.notifications.provider;

import dev.weir.engine.notifications.Message;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Posts messages as JSON to a URL.
 *
 * <p>{@code Weir-Signature} has {@code v1=} and the HMAC-SHA256, in hexadecimal, of the time stamp
 * in {@code Weir-Timestamp} (seconds since the epoch), a dot, and the body. A receiver that refuses
 * old time stamps cannot be fooled by a recorded request. {@code Idempotency-Key} has the id of the
 * message, the same for each repetition.
 *
 * <p>2xx means that the receiver has the message; a {@code Message-Id} in the response is the id to
 * which receipts refer. 429 and 503 mean that it takes none at the moment, for the time in {@code
 * Retry-After}. 408 and other 5xx are retried. Everything else rejects the message.
 */
public final class WebhookProvider implements SmsProvider {
  public static final String TIMESTAMP = "Weir-Timestamp";
  public static final String SIGNATURE = "Weir-Signature";
  public static final String IDEMPOTENCY_KEY = "Idempotency-Key";
  public static final String MESSAGE_ID = "Message-Id";

  private static final String ALGORITHM = "HmacSHA256";
  private static final Duration DEFAULT_PAUSE = Duration.ofSeconds(1);
  private static final long MAX_PAUSE_SECONDS = 300;

  /**
   * The client's time-outs end with the head of the response, and the body may never end. They come
   * first, because they know whether there was a connection.
   */
  private static final Duration MARGIN = Duration.ofSeconds(1);

  private final URI url;
  private final byte[] secret;
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
    if (secret.isEmpty()) {
      throw new IllegalArgumentException("secret must not be empty");
    }
    this.url = url;
    this.secret = secret.getBytes(StandardCharsets.UTF_8);
    this.timeout = timeout;
    this.clock = clock;
    this.client =
        HttpClient.newBuilder()
            .connectTimeout(timeout)
            // A redirect would repeat a signed body somewhere else.
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();
  }

  @Override
  public String name() {
    return "webhook";
  }

  @Override
  public ProviderResult send(Message message) {
    String body = body(message);
    String timestamp = Long.toString(clock.instant().getEpochSecond());
    HttpRequest request =
        HttpRequest.newBuilder(url)
            .timeout(timeout)
            .header("Content-Type", "application/json")
            .header(TIMESTAMP, timestamp)
            .header(SIGNATURE, signature(secret, timestamp, body))
            .header(IDEMPOTENCY_KEY, message.id().toString())
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    CompletableFuture<HttpResponse<Void>> exchange =
        client.sendAsync(request, HttpResponse.BodyHandlers.discarding());
    try {
      return result(exchange.get(timeout.plus(MARGIN).toNanos(), TimeUnit.NANOSECONDS));
    } catch (TimeoutException e) {
      return new ProviderResult.Retry("the response has not ended within " + timeout);
    } catch (ExecutionException e) {
      return failed(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new ProviderResult.Retry("interrupted");
    } finally {
      exchange.cancel(true);
    }
  }

  private ProviderResult failed(@Nullable Throwable failure) {
    return failure instanceof ConnectException || failure instanceof HttpConnectTimeoutException
        ? new ProviderResult.Unavailable("no connection to " + url, DEFAULT_PAUSE)
        : new ProviderResult.Retry("no response: " + failure);
  }

  private static ProviderResult result(HttpResponse<Void> response) {
    int status = response.statusCode();
    if (status / 100 == 2) {
      return new ProviderResult.Taken(response.headers().firstValue(MESSAGE_ID));
    }
    String reason = "HTTP status " + status;
    return switch (status) {
      case 429, 503 -> new ProviderResult.Unavailable(reason, retryAfter(response));
      case 408 -> new ProviderResult.Retry(reason);
      default ->
          status / 100 == 5
              ? new ProviderResult.Retry(reason)
              : new ProviderResult.Rejected(reason);
    };
  }

  private static Duration retryAfter(HttpResponse<Void> response) {
    Optional<String> seconds =
        response.headers().firstValue("Retry-After").filter(text -> text.matches("\\d{1,18}"));
    return seconds
        .map(text -> Duration.ofSeconds(Math.clamp(Long.parseLong(text), 1L, MAX_PAUSE_SECONDS)))
        .orElse(DEFAULT_PAUSE);
  }

  private static String body(Message message) {
    return "{\"messageId\":\"%s\",\"userId\":%d,\"message\":%s,\"parts\":%d}"
        .formatted(message.id(), message.userId(), quoted(message.text()), message.parts());
  }

  /** Returns the value of {@code Weir-Signature} for a time stamp and a body. */
  public static String signature(byte[] secret, String timestamp, String body) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(secret, ALGORITHM));
      byte[] hash = mac.doFinal((timestamp + "." + body).getBytes(StandardCharsets.UTF_8));
      return "v1=" + HexFormat.of().formatHex(hash);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + ALGORITHM, e);
    }
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
