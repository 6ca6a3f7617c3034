package dev.weir.benchmarks.stores;

import dev.weir.store.tck.internal.SurrealServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A token bucket as it is often written: read the tokens, and write one less if there are any. A
 * conflict is repeated. Two callers that read the same number take the same token.
 */
final class PlainSurrealDb implements AutoCloseable {
  static final String TITLE = "read, then update";

  private static final Pattern RESULT = Pattern.compile("\"result\":(-?\\d+)");

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final URI uri;
  private final String token;

  private PlainSurrealDb(SurrealServer server) {
    this.uri = URI.create(server.uri() + "/sql");
    String body =
        "{\"user\":\"%s\",\"pass\":\"%s\"}"
            .formatted(
                SurrealServer.USER,
                SurrealServer.PASSWORD.replace("\\", "\\\\").replace("\"", "\\\""));
    this.token =
        send(
            HttpRequest.newBuilder(URI.create(server.uri() + "/signin"))
                .header("Accept", "text/plain")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build());
  }

  static PlainSurrealDb on(SurrealServer server) {
    return new PlainSurrealDb(server);
  }

  /** Creates buckets with the given number of tokens. */
  void create(int keys, long tokens) {
    query(
        "FOR $i IN 0..%d { UPSERT type::record('plain', $i) SET tokens = %d; };"
            .formatted(keys, tokens));
  }

  /** Takes a token of a bucket. */
  boolean take(int key) {
    while (true) {
      long tokens =
          number(query("RETURN (SELECT VALUE tokens FROM ONLY plain:%d);".formatted(key)));
      if (tokens < 1) {
        return false;
      }
      String updated =
          query("UPDATE plain:%d SET tokens = %d RETURN NONE;".formatted(key, tokens - 1));
      if (updated.contains("\"OK\"")) {
        return true;
      }
    }
  }

  private static long number(String response) {
    Matcher result = RESULT.matcher(response);
    if (!result.find()) {
      throw new IllegalStateException("no number in " + response);
    }
    return Long.parseLong(result.group(1));
  }

  private String query(String text) {
    return send(
        HttpRequest.newBuilder(uri)
            .header("Accept", "application/json")
            .header("Authorization", "Bearer " + token)
            .header("surreal-ns", SurrealServer.NAMESPACE)
            .header("surreal-db", SurrealServer.DATABASE)
            .POST(HttpRequest.BodyPublishers.ofString(text))
            .build());
  }

  private String send(HttpRequest request) {
    try {
      HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() != 200) {
        throw new IllegalStateException("SurrealDB responds with " + response.statusCode());
      }
      return response.body();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    http.close();
  }
}
