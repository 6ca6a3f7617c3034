package dev.weir.notifications.analytics;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A client of OpenSearch's REST API. Answers are bounded in time and size; neither exceptions nor
 * {@link #toString()} contain secrets. Thread-safe.
 */
public final class OpenSearch implements AutoCloseable {
  private static final int MAX_ANSWER_BYTES = 16 << 20;
  private static final int NOT_FOUND = 404;

  private final OpenSearchSettings settings;
  private final String base;
  private final HttpClient client;

  public OpenSearch(OpenSearchSettings settings) {
    this.settings = settings;
    this.base = settings.url().toString().replaceFirst("/+$", "");
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(settings.timeout())
            // A redirect would hand the credentials to another host.
            .followRedirects(HttpClient.Redirect.NEVER);
    settings.tls().ifPresent(builder::sslContext);
    this.client = builder.build();
  }

  /**
   * Sends a request and returns its answer.
   *
   * @throws OpenSearchException if there is no answer, or one of failure
   */
  JsonTree call(String method, String path, String body) {
    return read(exchange(method, path, "application/json", body.getBytes(StandardCharsets.UTF_8)));
  }

  /** Does the same as {@link #call}, but returns nothing if what is asked for does not exist. */
  JsonTree find(String path) {
    HttpResponse<byte[]> response = exchange("GET", path, "application/json", new byte[0]);
    return response.statusCode() == NOT_FOUND ? JsonTree.NOTHING : read(response);
  }

  /** Sends many documents. */
  JsonTree bulk(byte[] lines) {
    String path = "/_bulk?filter_path=errors,items.*.status,items.*.error.type";
    return read(exchange("POST", path, "application/x-ndjson", lines));
  }

  private HttpResponse<byte[]> exchange(String method, String path, String type, byte[] body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(base + path))
            .timeout(settings.timeout())
            .method(
                method,
                body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
    if (body.length > 0) {
      request.header("Content-Type", type);
    }
    settings.authorization().ifPresent(value -> request.header("Authorization", value));
    CompletableFuture<HttpResponse<byte[]>> pending =
        client.sendAsync(request.build(), BoundedBody.ofUpTo(MAX_ANSWER_BYTES));
    try {
      // The time-out of the request ends with the head of the answer, this one with its body.
      return pending.get(settings.timeout().toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw new OpenSearchException("%s does not answer: %s".formatted(this, e.getCause()), e);
    } catch (TimeoutException e) {
      pending.cancel(true);
      throw new OpenSearchException(
          "%s has not answered within %s".formatted(this, settings.timeout()), e);
    } catch (InterruptedException e) {
      pending.cancel(true);
      Thread.currentThread().interrupt();
      throw new OpenSearchException("interrupted", e);
    }
  }

  private JsonTree read(HttpResponse<byte[]> response) {
    int status = response.statusCode();
    if (status / 100 != 2) {
      throw new OpenSearchException(
          "%s answers with status %d%s".formatted(this, status, errorType(response.body())),
          status);
    }
    try {
      return JsonTree.read(response.body());
    } catch (IOException e) {
      throw OpenSearchException.unexpected(this + " answers with something other than JSON");
    }
  }

  /** Returns the kind of an error; its reason may repeat what was sent. */
  private static String errorType(byte[] body) {
    try {
      return JsonTree.read(body)
          .at("error")
          .at("type")
          .text()
          .filter(type -> type.matches("[a-z_]{1,100}"))
          .map(type -> ", " + type)
          .orElse("");
    } catch (IOException e) {
      return "";
    }
  }

  /** Returns the address. */
  @Override
  public String toString() {
    return "OpenSearch at " + base;
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
