package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.settings.ServerSetting;
import dev.weir.node.wiring.Node;
import dev.weir.server.wiring.TestNode;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What each token permits. */
final class AuthIT {
  private static final String ADMIN = "secret-of-administrators";
  private static final String OTHER = "secret-of-another-client";
  private static final String CLIENT = "secret-of-the-first-client";

  private static Node node;
  private static Http http;

  @BeforeAll
  static void start() {
    node =
        TestNode.inMemory(
            Map.of(
                ServerSetting.ADMIN_TOKEN,
                ADMIN,
                ServerSetting.CLIENT_KEYS,
                OTHER + ", " + CLIENT + ",,"));
    http = new Http(node.address());
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  @Test
  void asksForATokenAlwaysInTheSameWords() {
    for (String path :
        List.of(
            "/api/v1/slots",
            "/api/v1/slots/x",
            "/api/v1/slots/windows",
            "/api/v1/slots/forecast",
            "/admin/rate-limit/config",
            "/admin/rate-limit/configs",
            "/admin/rate-limit/config/history?name=unknown",
            "/admin/rate-limit/configs/")) {
      for (Http unauthenticated :
          List.of(
              http, http.with("Authorization", ADMIN), http.with("Authorization", "Basic YTpi"))) {
        Http.Answer answer = unauthenticated.get(path).problem(401, "token-missing");
        assertThat(answer.header("www-authenticate")).hasValue("Bearer realm=\"weir\"");
        assertThat(unauthenticated.send("HEAD", path).status()).isEqualTo(401);
      }
    }
    http.post("/api/v1/slots", "{\"eventId\":\"a\"}").problem(401, "token-missing");
    http.post("/api/v1/slots/batch", "[]").problem(401, "token-missing");
    http.lines("{\"eventId\":\"a\"}").problem(401, "token-missing");
    http.post("/admin/rate-limit/config", "{}").problem(401, "token-missing");
    http.post("/admin/rate-limit/cache/flush").problem(401, "token-missing");
    http.delete("/api/v1/slots/a").problem(401, "token-missing");
  }

  @Test
  void refusesWrongTokens() {
    for (String token :
        List.of(
            "x",
            "",
            ADMIN + "x",
            ADMIN.substring(1),
            ADMIN.toUpperCase(Locale.ROOT),
            CLIENT + "," + ADMIN,
            OTHER + ", " + CLIENT,
            "ü")) {
      Http stranger = http.with("Authorization", "Bearer " + token);
      assertThat(stranger.get("/api/v1/slots").status()).as(token).isIn(401, 403);
      assertThat(stranger.get("/admin/rate-limit/configs").status()).as(token).isIn(401, 403);
    }
    http.with("Authorization", "Bearer x").get("/api/v1/slots").problem(403, "not-allowed");
  }

  /** A proxy in front may have checked the other one. */
  @Test
  void refusesTwoTokens() {
    for (List<String> tokens :
        List.of(List.of(CLIENT, "x"), List.of("x", CLIENT), List.of(ADMIN, ADMIN))) {
      Http both =
          http.with(
              "Authorization",
              "Bearer " + tokens.getFirst(),
              "authorization",
              "Bearer " + tokens.getLast());
      both.get("/api/v1/slots").problem(400, "bad-request");
      both.get("/admin/rate-limit/configs").problem(400, "bad-request");
    }
  }

  @Test
  void letsClientsAtDataAndAdministratorsAtAll() {
    for (String key : List.of(CLIENT, OTHER)) {
      Http client = http.with("Authorization", "Bearer " + key);
      client.get("/api/v1/slots").ok();
      client.post("/api/v1/slots", "{\"eventId\":\"a\"}").ok();
      client.get("/admin/rate-limit/configs").problem(403, "not-allowed");
      client.post("/admin/rate-limit/config", "{}").problem(403, "not-allowed");
      client.post("/admin/rate-limit/cache/flush").problem(403, "not-allowed");
    }
    for (String header : List.of("Bearer " + ADMIN, "bearer  " + ADMIN, "BEARER " + ADMIN + " ")) {
      Http admin = http.with("Authorization", header);
      admin.get("/api/v1/slots").ok();
      admin.get("/admin/rate-limit/configs").ok();
      assertThat(admin.post("/admin/rate-limit/cache/flush").status()).isEqualTo(204);
    }
  }

  @Test
  void knowsNoWayAround() {
    for (String path :
        List.of(
            "/admin/rate-limit//configs",
            "/ADMIN/rate-limit/configs",
            "/admin/rate-limit/configs;x",
            "/admin/rate-limit/%63onfigs",
            "/api/v1/../../admin/rate-limit/configs",
            "//admin/rate-limit/configs",
            "/docs/../admin/rate-limit/configs")) {
      assertThat(http.get(path).status()).as(path).isIn(400, 401, 404);
    }
  }

  @Test
  void leavesOpenWhatEveryoneMaySee() {
    for (String path :
        List.of("/health/live", "/health/ready", "/metrics", "/docs/index.html", "/openapi.yaml")) {
      assertThat(http.get(path).status()).as(path).isEqualTo(200);
    }
  }

  @Test
  void countsAndLogsRefusedTokensWithoutThem() {
    // A node that has not logged any in this second.
    try (Node fresh =
            TestNode.inMemory(
                Map.of(ServerSetting.ADMIN_TOKEN, ADMIN, ServerSetting.CLIENT_KEYS, CLIENT));
        LogWatch logs = new LogWatch()) {
      Http caller = new Http(fresh.address());
      for (int i = 0; i < 20; i++) {
        caller.with("Authorization", "Bearer guess-" + i).get("/api/v1/slots/of-a-customer");
      }
      caller.with("Authorization", "Bearer " + CLIENT).get("/admin/rate-limit/configs");
      caller.get("/api/v1/slots");
      assertThat(logs.lines("WARN"))
          .isNotEmpty()
          .allMatch(line -> line.startsWith("WARN A caller was refused for its credential client="))
          .allMatch(line -> line.contains("127.0.0.1"));
      assertThat(logs.text())
          .doesNotContain("guess")
          .doesNotContain("of-a-customer")
          .contains("GET /api/v1/slots/{eventId");
      assertThat(caller.get("/metrics").text())
          .contains(
              "rate_limiter_auth_failures_total{reason=\"invalid\"} 20.0\n",
              "rate_limiter_auth_failures_total{reason=\"not_allowed\"} 1.0\n",
              "rate_limiter_auth_failures_total{reason=\"missing\"} 1.0\n",
              "rate_limiter_auth_failures_total{reason=\"signature\"} 0.0\n");
    }
  }

  @Test
  void neverSaysASecretAgain() {
    Http admin = http.with("Authorization", "Bearer " + ADMIN);
    try (LogWatch logs = new LogWatch()) {
      List<Http.Answer> answers =
          List.of(
              admin.post("/admin/rate-limit/config", "{}"),
              admin.get("/nope"),
              admin.get("/api/v1/slots?limit=x"),
              http.with("Authorization", "Bearer " + CLIENT).get("/admin/rate-limit/configs"),
              http.with("Authorization", "Bearer stranger-secret").get("/api/v1/slots"));
      for (Http.Answer answer : answers) {
        assertThat(answer.text() + answer.headers()).doesNotContain("secret");
      }
      assertThat(logs.text()).doesNotContain("secret");
    }
  }
}
