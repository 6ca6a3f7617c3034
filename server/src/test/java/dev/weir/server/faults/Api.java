package dev.weir.server.faults;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.UnaryOperator;

/** What a caller does to one node, over HTTP/1.1 on connections that are kept. */
public final class Api implements AutoCloseable {
  /** Nobody has to wait longer than this for an answer, whatever has happened. */
  private static final Duration LONG = Duration.ofMinutes(5);

  private static final String JSON = "application/json";

  private final URI address;
  private final Duration bound;
  private final HttpClient client;

  public Api(URI address) {
    this(address, LONG);
  }

  /** Asks a node and waits so long for the beginning of each answer. */
  public Api(URI address, Duration bound) {
    this.address = address;
    this.bound = bound;
    this.client =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(bound).build();
  }

  public HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return send(request(path).GET().build());
  }

  public HttpResponse<String> delete(String path) throws IOException, InterruptedException {
    return send(request(path).DELETE().build());
  }

  public HttpResponse<String> put(String path, String json)
      throws IOException, InterruptedException {
    return send(
        request(path)
            .header("Content-Type", JSON)
            .PUT(HttpRequest.BodyPublishers.ofString(json))
            .build());
  }

  /** Makes the next version of a configuration, from JSON with single quotes. */
  public void configure(String json) throws IOException, InterruptedException {
    HttpResponse<String> answer = post("/admin/rate-limit/config", json.replace('\'', '"'));
    if (answer.statusCode() != 200 && answer.statusCode() != 201) {
      throw new IllegalStateException(json + " was answered by " + answer.body());
    }
  }

  public HttpResponse<String> post(String path, String body)
      throws IOException, InterruptedException {
    return post(path, body, JSON);
  }

  /** Sends a request that can be repeated. */
  public HttpResponse<String> postOnce(String path, String body, String idempotencyKey)
      throws IOException, InterruptedException {
    return send(
        request(path)
            .header("Content-Type", JSON)
            .header("Idempotency-Key", idempotencyKey)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build());
  }

  /** Sends lines of requests and gives back all lines of answers. */
  public HttpResponse<String> lines(String body) throws IOException, InterruptedException {
    return post("/api/v1/slots/batch", body, "application/x-ndjson");
  }

  /** Sends lines of requests and hands over each line of answers as soon as it is whole. */
  public void lines(String body, Line line) throws IOException, InterruptedException {
    HttpRequest request =
        request("/api/v1/slots/batch")
            .header("Content-Type", "application/x-ndjson")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    HttpResponse<InputStream> response =
        client.send(request, HttpResponse.BodyHandlers.ofInputStream());
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
      for (String next = reader.readLine(); next != null; next = reader.readLine()) {
        line.answered(next);
      }
    }
  }

  /** Is handed lines of answers. */
  public interface Line {
    void answered(String line) throws IOException;
  }

  /** Sends a body of a media type. */
  public HttpResponse<String> post(String path, String body, String type)
      throws IOException, InterruptedException {
    return send(
        request(path)
            .header("Content-Type", type)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build());
  }

  /** Sends a request of any method, with any header fields. */
  public HttpResponse<String> send(String path, UnaryOperator<HttpRequest.Builder> request)
      throws IOException, InterruptedException {
    return send(request.apply(request(path)).build());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(address.resolve(path)).timeout(bound);
  }

  private HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
