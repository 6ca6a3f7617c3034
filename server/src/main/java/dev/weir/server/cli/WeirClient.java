package dev.weir.server.cli;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** A client of the REST API of one Weir server. */
final class WeirClient implements AutoCloseable {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration ANSWER_TIMEOUT = Duration.ofMinutes(2);
  private static final int MAX_ANSWER_BYTES = 64 << 20;

  private final URI server;
  private final Optional<String> authorization;
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(CONNECT_TIMEOUT)
          .build();

  /**
   * Creates a client.
   *
   * @param server the server's address, with or without a path before {@code /api}
   * @param token the client key to send, if any
   */
  WeirClient(URI server, Optional<String> token) {
    this.server = server;
    this.authorization = token.map(key -> "Bearer " + key);
  }

  URI server() {
    return server;
  }

  /** Gets a JSON document; parameters without a value are omitted. */
  byte[] get(String path, Map<String, Optional<String>> parameters)
      throws ProblemException, UnreachableException, InterruptedException {
    return send(HttpRequest.newBuilder(at(path + query(parameters))).GET());
  }

  /** Posts a request without a body, which is answered with a JSON document. */
  byte[] post(String path) throws ProblemException, UnreachableException, InterruptedException {
    return send(HttpRequest.newBuilder(at(path)).POST(HttpRequest.BodyPublishers.noBody()));
  }

  private byte[] send(HttpRequest.Builder request)
      throws ProblemException, UnreachableException, InterruptedException {
    request.timeout(ANSWER_TIMEOUT).header("Accept", "application/json, application/problem+json");
    authorization.ifPresent(value -> request.header("Authorization", value));
    try {
      HttpResponse<InputStream> response =
          http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
      try (InputStream body = response.body()) {
        byte[] bytes = body.readNBytes(MAX_ANSWER_BYTES);
        if (response.statusCode() != 200) {
          throw new ProblemException(Problem.ofAnswer(response.statusCode(), bytes));
        }
        return bytes;
      }
    } catch (IOException cause) {
      throw UnreachableException.of(server, cause);
    }
  }

  /** Opens a batch: a request and its response, both streamed at the same time. */
  BatchExchange batch() throws UnreachableException {
    try {
      return BatchExchange.open(
          at("/api/v1/slots/batch"), authorization, CONNECT_TIMEOUT, ANSWER_TIMEOUT);
    } catch (IOException cause) {
      throw UnreachableException.of(server, cause);
    }
  }

  @Override
  public void close() {
    http.close();
  }

  private URI at(String pathAndQuery) {
    String base = server.toString();
    return URI.create(
        (base.endsWith("/") ? base.substring(0, base.length() - 1) : base) + pathAndQuery);
  }

  private static String query(Map<String, Optional<String>> parameters) {
    String query =
        parameters.entrySet().stream()
            .filter(parameter -> parameter.getValue().isPresent())
            .map(
                parameter ->
                    parameter.getKey()
                        + "="
                        + URLEncoder.encode(
                            parameter.getValue().orElseThrow(), StandardCharsets.UTF_8))
            .collect(Collectors.joining("&"));
    return query.isEmpty() ? "" : "?" + query;
  }
}
