package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.fields.JsonDocument;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** A client of a node under test. */
public final class Http {
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final URI node;
  private final List<String> headers;

  public Http(URI node) {
    this(node, List.of());
  }

  private Http(URI node, List<String> headers) {
    this.node = node;
    this.headers = headers;
  }

  /** The same client, with headers on every request: name, value, name, value. */
  public Http with(String... more) {
    return new Http(node, List.of(more));
  }

  public Answer get(String path) {
    return send("GET", path, HttpRequest.BodyPublishers.noBody());
  }

  public Answer delete(String path) {
    return send("DELETE", path, HttpRequest.BodyPublishers.noBody());
  }

  public Answer send(String method, String path) {
    return send(method, path, HttpRequest.BodyPublishers.noBody());
  }

  public Answer post(String path) {
    return send("POST", path, HttpRequest.BodyPublishers.noBody());
  }

  public Answer post(String path, String json) {
    return post(path, json.getBytes(StandardCharsets.UTF_8));
  }

  public Answer post(String path, byte[] json) {
    return with("Content-Type", "application/json")
        .and(headers)
        .send("POST", path, HttpRequest.BodyPublishers.ofByteArray(json));
  }

  public Answer put(String path, String json) {
    return with("Content-Type", "application/json")
        .and(headers)
        .send("PUT", path, HttpRequest.BodyPublishers.ofString(json));
  }

  public Answer lines(String lines) {
    return with("Content-Type", "application/x-ndjson")
        .send("POST", "/api/v1/slots/batch", HttpRequest.BodyPublishers.ofString(lines));
  }

  public Answer send(String method, String path, HttpRequest.BodyPublisher body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(node + path))
            // Only what never comes takes so long, on however busy a machine.
            .timeout(Duration.ofMinutes(4))
            .method(method, body);
    for (int i = 0; i < headers.size(); i += 2) {
      request.header(headers.get(i), headers.get(i + 1));
    }
    try {
      HttpResponse<byte[]> response =
          CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
      return new Answer(response.statusCode(), response.headers(), response.body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private Http and(List<String> others) {
    return others.isEmpty() ? this : new Http(node, concat(headers, others));
  }

  private static List<String> concat(List<String> one, List<String> other) {
    // The caller's content type replaces the default.
    return other.contains("Content-Type")
        ? other
        : Stream.concat(one.stream(), other.stream()).toList();
  }

  public static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** A response. */
  public static final class Answer {
    private final int status;
    private final HttpHeaders headers;
    private final byte[] body;

    private Answer(int status, HttpHeaders headers, byte[] body) {
      this.status = status;
      this.headers = headers;
      this.body = body;
    }

    public int status() {
      return status;
    }

    public HttpHeaders headers() {
      return headers;
    }

    public byte[] body() {
      return body;
    }

    public String text() {
      return new String(body, StandardCharsets.UTF_8);
    }

    public Optional<String> header(String name) {
      return headers.firstValue(name);
    }

    public Object json() {
      return JsonDocument.read(body, 0, body.length);
    }

    /** A field, its path written with dots; numbers in a path are indices. */
    public Object at(String path) {
      Object value = json();
      for (String step : path.split("\\.", -1)) {
        value =
            value instanceof List<?> list
                ? list.get(Integer.parseInt(step))
                : ((Map<?, ?>) value).get(step);
      }
      return value;
    }

    public String textAt(String path) {
      return (String) at(path);
    }

    /**
     * Returns a time, which cannot be compared as text: a whole second is written without its dot.
     */
    public Instant instantAt(String path) {
      return Instant.parse(textAt(path));
    }

    public int intAt(String path) {
      return ((BigDecimal) at(path)).intValueExact();
    }

    public boolean flagAt(String path) {
      return (Boolean) at(path);
    }

    public List<?> listAt(String path) {
      return (List<?>) at(path);
    }

    public Answer ok() {
      assertThat(status).as(text()).isEqualTo(200);
      assertThat(header("content-type")).hasValue("application/json");
      return this;
    }

    /** Asserts a problem of this kind, with all members. */
    public Answer problem(int expected, String kind) {
      assertThat(status).as(text()).isEqualTo(expected);
      assertThat(header("content-type")).hasValue("application/problem+json");
      assertThat(textAt("type")).isEqualTo("urn:weir:problem:" + kind);
      assertThat(intAt("status")).isEqualTo(expected);
      assertThat(textAt("title")).isNotBlank();
      assertThat(textAt("detail")).isNotBlank();
      return this;
    }

    /** Asserts the registered problem of a refusal. */
    public Answer refused() {
      assertThat(status).as(text()).isEqualTo(429);
      assertThat(header("content-type")).hasValue("application/problem+json");
      assertThat(textAt("type"))
          .isEqualTo("https://iana.org/assignments/http-problem-types#quota-exceeded");
      assertThat(intAt("status")).isEqualTo(429);
      assertThat(textAt("title")).isEqualTo("Too Many Requests");
      assertThat(textAt("detail")).isNotBlank();
      return this;
    }

    /** Asserts that exactly these fields are reported as invalid. */
    public Answer wrong(String... fields) {
      problem(400, "invalid-request");
      assertThat(listAt("errors").stream().map(error -> ((Map<?, ?>) error).get("field")).toArray())
          .as(text())
          .containsExactlyInAnyOrder((Object[]) fields);
      return this;
    }
  }
}
