package dev.weir.server.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Setting;
import dev.weir.node.wiring.Node;
import dev.weir.server.http.Http;
import dev.weir.server.http.RawHttp;
import dev.weir.server.operations.node.OperationsSetting;
import dev.weir.server.wiring.TestNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a node answers to other machines, which reach it on an address other than loopback. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class BeyondLoopbackIT {
  private static final String ADMIN = "token-of-administrators";
  private static final String KEY = "key-of-a-client-or-two";
  private static final String CHECK = "{\"rule\":\"api\",\"key\":\"a\"}";

  /** Probes; the page that asks for the token, with its files; and the description of the API. */
  private static final Set<String> OPEN =
      Set.of(
          "GET /health/live",
          "GET /health/ready",
          "GET /",
          "GET /ui/{path}",
          "GET /docs",
          "GET /openapi.yaml");

  /** Its credential is the signature of the request. */
  private static final String SIGNED = "POST /api/messages/receipts";

  /** As simple clients are: a check with such headers takes a shorter way through the server. */
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final OpenApiDocument document;

  BeyondLoopbackIT() throws IOException {
    document = OpenApiDocument.load();
  }

  @Test
  void everyEndpointNeedsACredentialAlsoWithoutClientKeys() throws Exception {
    for (Map<Setting, String> keys :
        List.of(
            Map.<Setting, String>of(), Map.<Setting, String>of(ServerSetting.CLIENT_KEYS, KEY))) {
      try (Node node = start(Map.of(ServerSetting.ADMIN_TOKEN, ADMIN), keys)) {
        for (OpenApiDocument.Operation operation : document.operations()) {
          int anonymous = send(node, operation, "");
          if (operation.toString().equals(SIGNED)) {
            assertThat(anonymous).as(operation.toString()).isBetween(400, 499);
          } else if (OPEN.contains(operation.toString())) {
            assertThat(anonymous).as(operation.toString()).isNotIn(401, 403);
          } else {
            assertThat(anonymous).as(operation.toString()).isEqualTo(401);
            assertThat(send(node, operation, "Bearer stranger"))
                .as(operation.toString())
                .isEqualTo(403);
            assertThat(send(node, operation, "Bearer " + ADMIN))
                .as(operation.toString())
                .isNotIn(401, 403);
          }
        }
      }
    }
  }

  /** The rule would be used up if only one of the requests were counted. */
  @Test
  void noSpellingOfACheckIsDecidedWithoutACredential() throws Exception {
    try (Node node = start(Map.of(ServerSetting.ADMIN_TOKEN, ADMIN), Map.of())) {
      Http admin = new Http(local(node)).with("Authorization", "Bearer " + ADMIN);
      admin.post(
          "/api/admin/rules", "{\"name\":\"api\",\"allowedRequests\":1,\"windowSeconds\":3600}");
      for (String headers : List.of("", "Accept: */*\r\n", "X-Other: 1\r\n")) {
        assertThat(
                RawHttp.exchange(
                    local(node),
                    ("POST /api/v1/check HTTP/1.1\r\nHost: weir\r\nContent-Type: application/json"
                            + "\r\n%sContent-Length: %d\r\n\r\n%s"
                            + "GET /health/live HTTP/1.1\r\nHost: weir\r\nConnection: close"
                            + "\r\n\r\n")
                        .formatted(headers, CHECK.length(), CHECK)))
            .startsWith("HTTP/1.1 401 ");
      }
      admin.post("/api/v1/check", CHECK).ok();
    }
  }

  @Test
  void clientKeyReadsMetricsAlsoUnderASecondPath() throws Exception {
    try (Node node =
        start(
            Map.of(ServerSetting.ADMIN_TOKEN, ADMIN),
            Map.of(
                ServerSetting.CLIENT_KEYS, KEY, OperationsSetting.METRICS_ALSO_AT, "/q/metrics"))) {
      Http client = new Http(local(node)).with("Authorization", "Bearer " + KEY);
      assertThat(client.get("/metrics?from=a+monitor").status()).isEqualTo(200);
      assertThat(client.get("/q/metrics?from=a+monitor").text())
          .contains("# TYPE rate_limiter_slot_assignment_duration_seconds histogram");
      new Http(local(node)).get("/q/metrics").problem(401, "token-missing");
      client.get("/q/other").problem(404, "not-found");
      client.get("/admin/rate-limit/configs").problem(403, "not-allowed");
    }
  }

  @Test
  void anonymousClientsHaveToBeAllowedAndDoNotAdminister() throws Exception {
    try (Node node =
        start(
            Map.of(ServerSetting.ADMIN_TOKEN, ADMIN),
            Map.of(
                ServerSetting.ALLOW_ANONYMOUS_CLIENTS,
                "true",
                ServerSetting.ALLOWED_HOSTS,
                "weir.example"))) {
      Http anonymous = new Http(local(node));
      anonymous.get("/api/v1/slots").ok();
      anonymous.post("/api/v1/slots", "{\"eventId\":\"a\"}").ok();
      assertThat(anonymous.get("/metrics").status()).isEqualTo(200);
      anonymous.get("/admin/rate-limit/configs").problem(401, "token-missing");
      // A page whose name was made to resolve to this node would be the node's own origin.
      for (String path : List.of("/api/v1/slots", "/metrics")) {
        assertThat(get(node, path, "evil.example")).as(path).startsWith("HTTP/1.1 421 ");
        for (String own :
            List.of("10.1.2.3:8080", "[fd00::1]:80", "[fd00::1]", "weir.example:1", "localhost")) {
          assertThat(get(node, path, own)).as(own).startsWith("HTTP/1.1 200 ");
        }
        for (String nearly :
            List.of("10.1.2.3.evil.example", "[fd00::1].evil.example", "1.2.3", "0x7f.1")) {
          assertThat(get(node, path, nearly)).as(nearly).matches("(?s)HTTP/1.1 4(00|21) .*");
        }
      }
      assertThat(get(node, "/health/ready", "evil.example")).startsWith("HTTP/1.1 200 ");
    }
  }

  private static Node start(Map<Setting, String> one, Map<Setting, String> more) {
    Map<Setting, String> settings = new HashMap<>();
    settings.put(ServerSetting.HOST, "0.0.0.0");
    settings.putAll(one);
    settings.putAll(more);
    return TestNode.inMemory(settings);
  }

  private static URI local(Node node) {
    return URI.create("http://127.0.0.1:" + node.address().getPort());
  }

  private static String get(Node node, String path, String host) throws IOException {
    return RawHttp.exchange(
        local(node),
        "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n".formatted(path, host));
  }

  /** Returns the status. The body is not read, because a stream has no end. */
  private static int send(Node node, OpenApiDocument.Operation operation, String authorization)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(local(node).resolve(operation.path().replaceAll("\\{\\w+}", "x")))
            .method(
                operation.method(),
                operation.bodyType().isPresent()
                    ? BodyPublishers.ofString(CHECK)
                    : BodyPublishers.noBody());
    operation.bodyType().ifPresent(type -> request.header("Content-Type", type));
    if (!authorization.isEmpty()) {
      request.header("Authorization", authorization);
    }
    HttpResponse<InputStream> response = CLIENT.send(request.build(), BodyHandlers.ofInputStream());
    response.body().close();
    return response.statusCode();
  }
}
