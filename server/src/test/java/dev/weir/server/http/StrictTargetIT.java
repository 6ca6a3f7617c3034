package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.settings.ServerSetting;
import dev.weir.node.wiring.Node;
import dev.weir.server.wiring.TestNode;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Methods, paths and queries that an endpoint does not support are refused. */
final class StrictTargetIT {
  private static final String RULES = "/api/admin/rules";

  @RegisterExtension private static final RunningNode node = RunningNode.inMemory(Map.of());

  private static final Http http = node.http();

  @Test
  void namesOfEndpointsAreNoIdsOfRules() {
    Map.of(
            RULES + "/active",
            Set.of("GET", "HEAD"),
            RULES + "/explain",
            Set.of("POST"),
            RULES + "/refresh",
            Set.of("POST"),
            RULES,
            Set.of("GET", "HEAD", "POST"),
            RULES + "/7",
            Set.of("GET", "HEAD", "PUT", "DELETE"),
            RULES + "/7/queue",
            Set.of("PATCH"),
            "/api/admin/routes/active",
            Set.of("GET", "HEAD", "PUT", "DELETE"),
            "/api/v1/check",
            Set.of("POST"),
            "/api/v1/authorize",
            Set.of("GET", "HEAD", "POST"))
        .forEach(StrictTargetIT::allowsOnly);
    // An id that only begins like the name of an endpoint.
    http.get(RULES + "/activex").problem(404, "unknown-rule");
    http.get(RULES + "/active/versions").problem(404, "unknown-rule");
  }

  private static void allowsOnly(String path, Set<String> allowed) {
    assertThat(allowed(http.send("OPTIONS", path))).as(path).isEqualTo(allowed);
    for (String method : List.of("GET", "POST", "PUT", "PATCH", "DELETE")) {
      if (!allowed.contains(method)) {
        Http.Answer answer = http.send(method, path).problem(405, "method-not-allowed");
        assertThat(allowed(answer)).as(method + " " + path).isEqualTo(allowed);
      }
    }
  }

  private static Set<String> allowed(Http.Answer answer) {
    return Set.of(answer.header("allow").orElse("").split(", *", -1));
  }

  @Test
  void idsThatAreNotUtf8AreRefused() throws IOException {
    String bucket = "{\"capacity\":1,\"refillRate\":1}";
    for (String id : List.of("%ff", "%fe", "%c0%80", "%ed%a0%80", "a%80", "%f5%80%80%80")) {
      http.put("/api/v1/buckets/" + id, bucket).problem(400, "bad-request");
      http.get("/api/v1/buckets/" + id).problem(400, "bad-request");
      http.put("/api/v1/concurrency/" + id, "{\"maxConcurrent\":1}").problem(400, "bad-request");
      http.post("/api/v1/concurrency/" + id + "/leases").problem(400, "bad-request");
      http.get("/api/v1/slots/" + id).problem(400, "bad-request");
      http.get("/api/v1/slots?eventId=" + id).problem(400, "bad-request");
      http.post("/api/v1/slots/" + id + "/confirm").problem(400, "bad-request");
      http.get(RULES + "/" + id).problem(400, "bad-request");
      http.get("/api/admin/routes/" + id).problem(400, "bad-request");
    }
    http.put("/api/v1/concurrency/c", "{\"maxConcurrent\":1}").ok();
    http.send("PUT", "/api/v1/concurrency/c/leases/%ff").problem(400, "bad-request");
    http.put("/api/v1/buckets/%F0%9F%8C%8A", bucket).ok();
    assertThat(http.get("/api/v1/buckets/%f0%9f%8c%8a").ok().textAt("resourceId")).isEqualTo("🌊");
    assertThat(
            RawHttp.exchange(
                node.address(),
                String.join(
                    "\r\n",
                    "GET /api/v1/buckets/\u00ff HTTP/1.1",
                    "Host: localhost",
                    "Connection: close",
                    "",
                    "")))
        .startsWith("HTTP/1.1 400 ");
  }

  @Test
  void unknownQueryParametersAreRefusedByName() {
    String rule = "{\"name\":\"q\",\"allowedRequests\":1,\"windowSeconds\":1}";
    for (String path :
        List.of("/api/v1/slots", "/api/v1/slots/batch", "/api/v1/check", "/api/v1/refund", RULES)) {
      http.post(path + "?dryRun=true", rule).wrong("dryRun");
    }
    for (String path :
        List.of(
            "/api/v1/slots/e",
            "/api/v1/slots/windows",
            "/api/v1/slots/forecast?events=1",
            "/api/v1/slots?eventId=e",
            "/api/v1/buckets/b",
            "/api/v1/concurrency/c",
            "/api/v1/authorize",
            RULES,
            RULES + "/active",
            RULES + "/7",
            RULES + "/7/versions",
            "/api/admin/routes",
            "/admin/rate-limit/config",
            "/admin/rate-limit/configs")) {
      http.get(path + (path.contains("?") ? "&" : "?") + "limits=2").wrong("limits");
    }
    http.delete("/api/v1/slots/e?x=1").wrong("x");
    http.post(RULES + "/refresh?x=1").wrong("x");
    assertThat(http.get("/api/v1/slots/windows?limits=2").wrong("limits").text())
        .contains("is not known here; known are: configName, from, to, limit");
    assertThat(http.get(RULES + "?limits=2").wrong("limits").text())
        .contains("there are no query parameters here");
    http.get("/api/v1/authorize?refuse=403&refuse=429").wrong("refuse");
    http.get("/api/v1/authorize?refuse=500").wrong("refuse");
  }

  @Test
  void theRootIsThePageAndDocsLeadToTheDocumentation() {
    Http.Answer answer = http.get("/");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("content-type")).hasValue("text/html; charset=utf-8");
    assertThat(http.get("/docs").header("location")).hasValue("/docs/index.html");
    for (String path : List.of("/docs", "/docs/index.html")) {
      for (String method : List.of("POST", "PUT", "PATCH", "DELETE", "OPTIONS")) {
        Http.Answer refused = http.send(method, path).problem(405, "method-not-allowed");
        assertThat(allowed(refused)).as(method + " " + path).isEqualTo(Set.of("GET", "HEAD"));
      }
    }
  }

  @Test
  void aDescribedRequestComesFromAnAddress() {
    String described = "{\"path\":\"/\",\"ip\":\"%s\"}";
    for (String ip :
        List.of("nonsense", "", "256.0.0.1", "1.2.3", "localhost", "::g", "1.2.3.4/8")) {
      http.post(RULES + "/explain", described.formatted(ip)).wrong("ip");
    }
    for (String ip : List.of("10.0.0.1", "::1", "2001:db8::1", "::ffff:10.0.0.1")) {
      http.post(RULES + "/explain", described.formatted(ip)).ok();
    }
  }

  @Test
  void messagesAboutLimitsDoNotSpeakOfEvents() {
    byte[] large = new byte[2 * 1024 * 1024];
    for (String path : List.of("/api/v1/check", "/api/v1/refund", RULES, RULES + "/explain")) {
      assertThat(http.post(path, "[]").problem(400, "invalid-request").text())
          .doesNotContainIgnoringCase("event");
      assertThat(http.post(path, large).problem(413, "too-large").text())
          .doesNotContainIgnoringCase("event");
    }
    assertThat(http.put("/api/v1/buckets/b", "1").problem(400, "invalid-request").text())
        .doesNotContainIgnoringCase("event");
    assertThat(http.post("/api/v1/slots", large).problem(413, "too-large").text())
        .contains("application/x-ndjson");
  }

  @Test
  void whatIsOpenToEveryoneTakesAnyQuery() {
    for (String path : List.of("/health/live", "/health/ready", "/metrics", "/openapi.yaml")) {
      assertThat(http.get(path + "?cache=%ff").status()).as(path).isEqualTo(200);
    }
    assertThat(http.get("/docs/index.html?url=x").status()).isEqualTo(200);
  }

  @Test
  void strangersDoNotLearnWhatIsKnown() {
    try (Node guarded =
        TestNode.inMemory(Map.of(ServerSetting.ADMIN_TOKEN, "a-token-of-administrators"))) {
      new Http(guarded.address()).get(RULES + "?x=1").problem(401, "token-missing");
    }
  }
}
