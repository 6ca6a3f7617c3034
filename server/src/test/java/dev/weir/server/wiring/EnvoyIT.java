package dev.weir.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.wiring.Node;
import dev.weir.server.envoy.node.EnvoySetting;
import dev.weir.server.faults.Waiting;
import dev.weir.server.http.Http;
import dev.weir.store.tck.internal.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real Envoy with the configuration to copy, between a client and a service. Debian has none:
 * {@code ./weir test} fetches it from PyPI and names it in a variable, or says that it could not.
 */
@EnabledIfEnvironmentVariable(named = "WEIR_TEST_ENVOY", matches = ".+")
@Timeout(900)
final class EnvoyIT {
  /** That of the configuration. */
  private static final String KEY = "one-of-the-client-keys";

  /** Half an hour, most of which has not passed when the next one asks. */
  private static final int PLACES_BEFORE = 60;

  private static final String ALL_WAIT =
      "rate_limiter_decisions_total{outcome=\"queued\",rule=\"slow\"} " + PLACES_BEFORE + ".0";

  @TempDir private Path folder;

  @Test
  void lettingPassWhatRulesLetPass() throws Exception {
    int grpc = FreePort.find();
    int edge = FreePort.find();
    HttpServer service =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    service.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    service.start();
    try (Node node =
            TestNode.inMemory(
                Map.of(EnvoySetting.PORT, "" + grpc, ServerSetting.CLIENT_KEYS, KEY));
        HttpClient client = HttpClient.newHttpClient()) {
      rule(client, node, "{\"name\":\"logins\",\"allowedRequests\":1,\"windowSeconds\":600}");
      rule(
          client,
          node,
          "{\"name\":\"keys\",\"pathPattern\":\"/api/**\",\"keyBy\":[\"header:X-Api-Key\"],"
              + "\"allowedRequests\":2,\"windowSeconds\":600}");
      rule(
          client,
          node,
          "{\"name\":\"patient\",\"pathPattern\":\"/patient\",\"keyBy\":[\"global\"],"
              + "\"allowedRequests\":1,\"windowSeconds\":600,"
              + "\"queueEnabled\":true,\"maxQueueSize\":1,\"delayPerRequestMs\":300}");
      rule(
          client,
          node,
          "{\"name\":\"slow\",\"pathPattern\":\"/slow\",\"keyBy\":[\"global\"],"
              + "\"allowedRequests\":1,\"windowSeconds\":600,"
              + "\"queueEnabled\":true,\"maxQueueSize\":100,\"delayPerRequestMs\":30000}");
      Process envoy = envoy(grpc, edge, service.getAddress().getPort());
      try {
        URI base = URI.create("http://127.0.0.1:" + edge);
        awaitThatItAsks(client, base, envoy);
        // By name.
        assertThat(get(client, base, "/login", "").statusCode()).isEqualTo(200);
        HttpResponse<Void> refused = get(client, base, "/login", "");
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.headers().firstValue("RateLimit-Policy"))
            .contains("\"logins\";q=1;w=600");
        assertThat(refused.headers().firstValue("Retry-After")).isPresent();
        // By request, with a header and without it.
        assertThat(get(client, base, "/api/a", "k1").headers().firstValue("X-RateLimit-Remaining"))
            .contains("1");
        assertThat(get(client, base, "/api/b?c=d", "k1").statusCode()).isEqualTo(200);
        assertThat(get(client, base, "/api/c", "k1").statusCode()).isEqualTo(429);
        assertThat(get(client, base, "/api/c", "k2").statusCode()).isEqualTo(200);
        assertThat(get(client, base, "/api/c", "").headers().firstValue("X-RateLimit-Remaining"))
            .as("without the header it is asked all the same")
            .contains("1");
        assertThat(get(client, base, "/free", "k1").statusCode()).isEqualTo(200);
        // Counted by the first, and perhaps served by the second.
        for (String[] twice : new String[][] {{"new", "k1"}, {"new", "new"}, {"", "k1"}}) {
          HttpRequest.Builder request = HttpRequest.newBuilder(base.resolve("/api/c"));
          for (String value : twice) {
            request.header("X-Api-Key", value);
          }
          assertThat(client.send(request.build(), BodyHandlers.discarding()).statusCode())
              .as(String.join(" and ", twice))
              .isEqualTo(400);
        }
        // Through the queue: Envoy waits, because its time-out is longer.
        assertThat(get(client, base, "/patient", "").statusCode()).isEqualTo(200);
        HttpResponse<Void> queued = get(client, base, "/patient", "");
        assertThat(queued.statusCode()).isEqualTo(200);
        assertThat(queued.headers().firstValue("X-RateLimit-Queued")).contains("true");
        // The turn would come after its time-out, when it would let pass unasked.
        assertThat(get(client, base, "/slow", "").statusCode()).isEqualTo(200);
        HttpClient before = HttpClient.newHttpClient();
        try {
          fillTheQueue(before, node);
          assertThat(get(client, base, "/slow", "").statusCode()).isEqualTo(429);
        } finally {
          before.shutdownNow();
        }
      } finally {
        envoy.destroy();
        envoy.waitFor();
      }
    } finally {
      service.stop(0);
    }
  }

  private static void rule(HttpClient client, Node node, String body) throws Exception {
    assertThat(
            client
                .send(
                    HttpRequest.newBuilder(node.address().resolve("/api/admin/rules"))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                    BodyHandlers.ofString())
                .statusCode())
        .isEqualTo(201);
  }

  /** Takes places of which each is half a minute, so that the next turn comes after all of them. */
  private static void fillTheQueue(HttpClient client, Node node) {
    for (int i = 0; i < PLACES_BEFORE; i++) {
      var unused =
          client.sendAsync(
              HttpRequest.newBuilder(node.address().resolve("/api/v1/authorize"))
                  .header("Authorization", "Bearer " + KEY)
                  .header("X-Original-URI", "/slow")
                  .build(),
              BodyHandlers.discarding());
    }
    Http operator = new Http(node.address()).with("Authorization", "Bearer " + KEY);
    Waiting.until("those before it", () -> operator.get("/metrics").text().contains(ALL_WAIT));
  }

  private Process envoy(int grpc, int edge, int service) throws IOException {
    String yaml =
        Files.readString(Path.of("..", "deploy", "envoy.yaml"))
            .replace("port_value: 10000", "port_value: " + edge)
            .replace("port_value: 8081", "port_value: " + grpc)
            .replace("port_value: 8000", "port_value: " + service)
            // Without an answer in time it lets requests pass, and a busy machine takes its time.
            .replace(" timeout: 2s", " timeout: 240s")
            .replace("route: {cluster: service}", "route: {cluster: service, timeout: 240s}")
            .replaceFirst("(?m)^( *)(cluster: service)$", "$1$2\n$1timeout: 240s")
            .replace("connect_timeout: 1s", "connect_timeout: 60s")
            .replace("- timeout: 1s", "- timeout: 60s")
            .replace("# initial_metadata:", "initial_metadata:")
            .replace("#   - {key: authorization", "  - {key: authorization");
    Path config = Files.writeString(folder.resolve("envoy.yaml"), yaml);
    return new ProcessBuilder(
            List.of(
                System.getenv("WEIR_TEST_ENVOY"),
                "-c",
                config.toString(),
                "--concurrency",
                "1",
                "--disable-hot-restart"))
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("envoy.log").toFile())
        .start();
  }

  /** Until it has found Weir, it lets everything pass unasked. */
  private void awaitThatItAsks(HttpClient client, URI base, Process envoy) {
    Waiting.until(
        "Envoy to ask",
        () -> {
          assertThat(envoy.isAlive()).as(() -> log()).isTrue();
          try {
            return get(client, base, "/api/first", "nobody")
                .headers()
                .map()
                .containsKey("ratelimit");
          } catch (ConnectException e) {
            return false;
          }
        });
  }

  private String log() {
    try {
      return Files.readString(folder.resolve("envoy.log"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static HttpResponse<Void> get(HttpClient client, URI base, String path, String key)
      throws IOException, InterruptedException {
    HttpRequest.Builder request = HttpRequest.newBuilder(base.resolve(path));
    if (!key.isEmpty()) {
      request.header("X-Api-Key", key);
    }
    return client.send(request.build(), BodyHandlers.discarding());
  }
}
