package dev.weir.client;

import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One call of any endpoint, for those that have no method here: {@code
 * weir.send(Call.get("/api/analytics/users").parameter("limit", "5")).json()}. Immutable.
 */
public final class Call {
  private final String method;
  private final String path;
  private final Map<String, String> parameters;
  private final List<Header> headers;
  private final BodyPublisher body;
  private final String accept;
  private final Kind kind;
  private final Optional<Duration> timeout;

  record Header(String name, String value) {}

  /** What a second call does. */
  private enum Kind {
    /** Nothing, and neither did the first. */
    READS,
    /** Nothing that the first has not done. */
    REPEATABLE,
    /** The same again. */
    ONCE
  }

  private Call(
      String method,
      String path,
      Map<String, String> parameters,
      List<Header> headers,
      BodyPublisher body,
      String accept,
      Kind kind,
      Optional<Duration> timeout) {
    if (!path.startsWith("/")) {
      throw new IllegalArgumentException("path must begin with /, not " + path);
    }
    this.method = method;
    this.path = path;
    this.parameters = parameters;
    this.headers = headers;
    this.body = body;
    this.accept = accept;
    this.kind = kind;
    this.timeout = timeout;
  }

  /** Returns a call that reads, and may therefore be repeated. */
  public static Call get(String path) {
    return of("GET", path, Kind.READS);
  }

  /** Returns a call that changes something. */
  public static Call post(String path) {
    return of("POST", path, Kind.ONCE);
  }

  /** Returns a call that may be repeated, because the second one changes nothing. */
  public static Call put(String path) {
    return of("PUT", path, Kind.REPEATABLE);
  }

  /** Returns a call that may be repeated, because the second one changes nothing. */
  public static Call delete(String path) {
    return of("DELETE", path, Kind.REPEATABLE);
  }

  private static Call of(String method, String path, Kind kind) {
    return new Call(
        method,
        path,
        Map.of(),
        List.of(),
        BodyPublishers.noBody(),
        "application/json",
        kind,
        Optional.empty());
  }

  /** Returns a text, such as an id, as one segment of a path. */
  public static String segment(String text) {
    return URLEncoder.encode(
            Requirements.wellFormed("an id or parameter", text), StandardCharsets.UTF_8)
        .replace("+", "%20");
  }

  /** Returns this call with a query parameter. */
  public Call parameter(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(parameters);
    more.put(name, value);
    return new Call(method, path, more, headers, body, accept, kind, timeout);
  }

  /** Returns this call with a query parameter if there is a value. */
  Call parameter(String name, Optional<?> value) {
    return value.map(present -> parameter(name, present.toString())).orElse(this);
  }

  /**
   * Returns this call with a header field; only printable ASCII can be sent. It replaces one that
   * the client would send by itself, such as {@code User-Agent}.
   */
  public Call header(String name, String value) {
    List<Header> more = new ArrayList<>(headers);
    more.add(new Header(name, Requirements.sendable(name, value)));
    return new Call(method, path, parameters, more, body, accept, kind, timeout);
  }

  /** Returns this call with a JSON body. */
  public Call json(String text) {
    return body(
        "application/json", BodyPublishers.ofString(Requirements.wellFormed("the JSON", text)));
  }

  /** Returns this call with a body that is sent in each attempt. */
  public Call body(String contentType, BodyPublisher content) {
    return new Call(method, path, parameters, headers, content, accept, kind, timeout)
        .header("Content-Type", contentType);
  }

  /** Returns this call with another media type to be answered with. */
  public Call accept(String mediaType) {
    return new Call(method, path, parameters, headers, body, mediaType, kind, timeout);
  }

  /**
   * Returns this call as one that may be repeated if its answer is lost, because it has an id by
   * which the server recognizes it.
   */
  public Call repeatable() {
    return new Call(method, path, parameters, headers, body, accept, Kind.REPEATABLE, timeout);
  }

  /** Returns this call with a time-out of its own for each attempt and for all of them. */
  public Call timeout(Duration other) {
    return new Call(
        method,
        path,
        parameters,
        headers,
        body,
        accept,
        kind,
        Optional.of(Requirements.positive("timeout", other)));
  }

  String method() {
    return method;
  }

  /** Returns path and query, encoded. */
  String target() {
    StringBuilder target = new StringBuilder(path);
    char separator = '?';
    for (Map.Entry<String, String> parameter : parameters.entrySet()) {
      target.append(separator).append(parameter.getKey()).append('=');
      target.append(segment(parameter.getValue()));
      separator = '&';
    }
    return target.toString();
  }

  List<Header> headers() {
    return headers;
  }

  boolean hasHeader(String name) {
    return headers.stream().anyMatch(header -> header.name().equalsIgnoreCase(name));
  }

  BodyPublisher body() {
    return body;
  }

  String accepted() {
    return accept;
  }

  boolean isRepeatable() {
    return kind != Kind.ONCE;
  }

  Optional<Duration> timeout() {
    return timeout;
  }

  /** Returns what is known if this call was sent and not answered. */
  Outcome ifUnanswered() {
    return kind == Kind.READS ? Outcome.NONE : Outcome.UNKNOWN;
  }

  /** Returns method and path, without parameters and header fields. */
  @Override
  public String toString() {
    return method + " " + path;
  }
}
