package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.settings.ServerSetting;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What pages of other sites can make a browser send to a Weir on loopback without a token. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class CrossSiteIT {
  private static final String EVIL = "evil.example";
  private static final String CONFIG = "/admin/rate-limit/config";
  private static final String TERMS =
      "{\"configName\":\"default\",\"maxPerWindow\":7,\"windowSize\":\"PT4S\"}";

  @RegisterExtension static final RunningNode NODE = RunningNode.inMemory(Map.of());

  @RegisterExtension
  static final RunningNode NAMED =
      RunningNode.inMemory(Map.of(ServerSetting.ALLOWED_HOSTS, "weir.example, Other.Example"));

  @RegisterExtension
  static final RunningNode LOCKED =
      RunningNode.inMemory(
          Map.of(
              ServerSetting.ADMIN_TOKEN,
              "secret-of-sixteen",
              ServerSetting.CLIENT_KEYS,
              "key-of-sixteen-characters"));

  private final Http http = NODE.http();

  /** The status line and all that follows, to a request with these header lines. */
  private static String send(URI node, String method, String path, String headers, String body)
      throws IOException {
    return RawHttp.exchange(
        node,
        "%s %s HTTP/1.1\r\n%sContent-Length: %d\r\nConnection: close\r\n\r\n%s"
            .formatted(method, path, headers, body.length(), body));
  }

  private static String post(String path, String headers, String body) throws IOException {
    return send(NODE.address(), "POST", path, headers, body);
  }

  private static String host(String host) {
    return "Host: " + host + "\r\n";
  }

  @Test
  void nameOfAnotherSiteIsNotAnswered() throws IOException {
    String rebound =
        host(EVIL + ":8080")
            + "Origin: http://evil.example:8080\r\nContent-Type: application/json\r\n";
    String before = http.get(CONFIG).ok().text();
    for (String path :
        List.of(CONFIG, "/api/v1/check", "/api/v1/slots", "/api/v1/slots/batch", "/nowhere")) {
      String answer = post(path, rebound, TERMS);
      assertThat(answer).as(path).startsWith("HTTP/1.1 421 ").contains("weir.allowed-hosts");
      assertThat(answer).contains("application/problem+json", "urn:weir:problem:misdirected");
    }
    for (String path :
        List.of("/", "/docs", "/docs/index.html", "/openapi.yaml", "/metrics", CONFIG)) {
      assertThat(send(NODE.address(), "GET", path, host(EVIL), ""))
          .as(path)
          .startsWith("HTTP/1.1 421 ");
    }
    assertThat(http.get(CONFIG).ok().text()).isEqualTo(before);
  }

  /** The host of a target that is a whole address is the one that counts (RFC 9112, 3.2.2). */
  @Test
  void nameInTheTargetCountsToo() throws IOException {
    for (String target :
        List.of(
            "http://evil.example", "http://evil.example:8080", "http://localhost@evil.example")) {
      assertThat(send(NODE.address(), "GET", target + CONFIG, host("localhost"), ""))
          .as(target)
          .matches("(?s)HTTP/1.1 4(00|21) .*");
      assertThat(
              post(
                  target + CONFIG, host("localhost") + "Content-Type: application/json\r\n", TERMS))
          .as(target)
          .matches("(?s)HTTP/1.1 4(00|21) .*");
    }
    assertThat(send(NODE.address(), "GET", "http://localhost" + CONFIG, host(EVIL), ""))
        .startsWith("HTTP/1.1 421 ");
    assertThat(send(NODE.address(), "GET", "http://localhost:8080" + CONFIG, host("localhost"), ""))
        .startsWith("HTTP/1.1 200 ");
  }

  @Test
  void nearlyOurNameIsAnothers() throws IOException {
    for (String name :
        List.of(
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "evil.example:80@localhost",
            "[::1].evil.example",
            "[::1",
            "localhost:x",
            "localhost:",
            "0.0.0.0",
            "128.0.0.1",
            "127.0.0",
            "weir.example")) {
      assertThat(send(NODE.address(), "GET", "/api/v1/slots", host(name), ""))
          .as(name)
          .matches("(?s)HTTP/1.1 4(00|21) .*");
    }
    assertThat(post("/api/v1/check", host("localhost") + host(EVIL), "{}"))
        .matches("(?s)HTTP/1.1 4(00|21) .*");
  }

  @Test
  void ownNamesAreAnswered() throws IOException {
    for (String name :
        List.of("localhost", "LocalHost:8080", "127.0.0.1:1", "127.9.8.7", "[::1]", "[::1]:8080")) {
      assertThat(send(NODE.address(), "GET", "/api/v1/slots", host(name), ""))
          .as(name)
          .startsWith("HTTP/1.1 200 ");
    }
    for (String name : List.of("weir.example", "other.example:80", "OTHER.example", "localhost")) {
      assertThat(send(NAMED.address(), "GET", "/api/v1/slots", host(name), ""))
          .as(name)
          .startsWith("HTTP/1.1 200 ");
    }
  }

  @Test
  void probesAndProxiesAreAnsweredUnderAnyName() throws IOException {
    // nginx sends the name of its upstream as the host, Caddy that of the client.
    assertThat(
            send(
                NODE.address(),
                "GET",
                "/api/v1/authorize",
                host("shop.example") + "X-Original-URI: /cart\r\n",
                ""))
        .startsWith("HTTP/1.1 200 ");
    for (String path : List.of("/health/live", "/health/ready")) {
      assertThat(send(NODE.address(), "GET", path, host("10.1.2.3:8080"), ""))
          .startsWith("HTTP/1.1 200 ");
    }
    // A browser's request that a proxy on this machine asks about.
    String browser = host("localhost.shop.example") + "Origin: https://shop.example\r\n";
    for (String path : List.of("/health/ready", "/api/v1/authorize")) {
      assertThat(send(NODE.address(), "GET", path, browser + "X-Original-URI: /cart\r\n", ""))
          .as(path)
          .startsWith("HTTP/1.1 200 ");
    }
    assertThat(
            send(
                NODE.address(),
                "POST",
                "/api/v1/authorize",
                browser + "X-Original-URI: /cart\r\n",
                ""))
        .startsWith("HTTP/1.1 200 ");
  }

  /** A page of another site does not know the token. */
  @Test
  void tokenOpensUnderAnyName() throws IOException {
    String key = host("weir.example") + "Authorization: Bearer ";
    assertThat(
            send(
                LOCKED.address(),
                "GET",
                "/api/v1/slots",
                key + "key-of-sixteen-characters\r\n",
                ""))
        .startsWith("HTTP/1.1 200 ");
    assertThat(send(LOCKED.address(), "GET", CONFIG, host("weir.example"), ""))
        .startsWith("HTTP/1.1 401 ");
    // On loopback, metrics need no token.
    assertThat(send(LOCKED.address(), "GET", "/metrics", host("weir.example"), ""))
        .startsWith("HTTP/1.1 421 ");
    assertThat(send(LOCKED.address(), "GET", "/metrics", host("localhost"), ""))
        .startsWith("HTTP/1.1 200 ");
  }

  /** Such a request needs no preflight: it has no body and no custom header. */
  @Test
  void pageOfAnotherOriginChangesNothing() throws IOException {
    http.post("/api/v1/slots", "{\"eventId\":\"mine\"}").ok();
    for (String origin :
        List.of("https://evil.example", "null", "http://localhost:1", "http://localhost.evil")) {
      assertThat(
              post(
                  "/api/v1/slots/mine/confirm",
                  host("localhost:8080") + "Origin: " + origin + "\r\n",
                  ""))
          .as(origin)
          .startsWith("HTTP/1.1 403 ")
          .contains("urn:weir:problem:other-origin");
    }
    assertThat(http.get("/api/v1/slots/mine").ok().textAt("state")).isEqualTo("assigned");
    assertThat(
            post(
                "/api/v1/slots/mine/confirm",
                host("localhost:8080") + "Origin: http://localhost:8080\r\n",
                ""))
        .startsWith("HTTP/1.1 200 ");
  }

  /** A browser sends such a body elsewhere without asking first. */
  @Test
  void bodyIsTakenOnlyForTheJsonItSaysToBe() throws IOException {
    String before = http.get(CONFIG).ok().text();
    assertThat(http.put("/api/v1/concurrency/r", "{\"maxConcurrent\":5}").status()).isEqualTo(200);
    for (String type :
        List.of("", "Content-Type: text/plain\r\n", "Content-Type: multipart/form-data\r\n")) {
      for (String path :
          List.of(
              CONFIG,
              "/api/v1/check",
              "/api/v1/slots",
              "/api/v1/slots/batch",
              "/api/v1/concurrency/r/leases")) {
        assertThat(post(path, host("localhost") + type, TERMS))
            .as(path + " " + type)
            .startsWith("HTTP/1.1 415 ")
            .contains("urn:weir:problem:unsupported-media-type");
      }
    }
    assertThat(http.get(CONFIG).ok().text()).isEqualTo(before);
    assertThat(http.post("/api/v1/concurrency/r/leases").status()).isEqualTo(201);
    assertThat(
            post(
                "/api/v1/slots",
                host("localhost") + "Content-Type: application/json; charset=utf-8\r\n",
                "{\"eventId\":\"typed\"}"))
        .startsWith("HTTP/1.1 200 ");
    assertThat(
            post(
                "/api/v1/slots",
                host("localhost") + "Content-Type: application/x-ndjson\r\n",
                "{\"eventId\":\"lines\"}"))
        .startsWith("HTTP/1.1 415 ");
  }
}
