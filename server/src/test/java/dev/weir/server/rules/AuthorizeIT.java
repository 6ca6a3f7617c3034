package dev.weir.server.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.settings.ServerSetting;
import dev.weir.node.wiring.Node;
import dev.weir.server.http.Http;
import dev.weir.server.wiring.TestNode;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A proxy asks Weir about the request that it received. */
final class AuthorizeIT {
  private static final String PATH = "/api/v1/authorize";

  private Node node;
  private Http http;

  @BeforeEach
  void start() {
    node = TestNode.inMemory(Map.of(ServerSetting.TRUSTED_PROXIES, "127.0.0.1, ::1"));
    http = new Http(node.address());
    http.post(
        "/api/admin/rules",
        """
        {"name":"orders","pathPattern":"/api/orders/**","methods":["POST"],
         "allowedRequests":1,"windowSeconds":3600}
        """);
  }

  @AfterEach
  void stop() {
    node.close();
  }

  private Http.Answer ask(String method, String uri, String client) {
    return http.with("X-Original-Method", method, "X-Original-URI", uri, "X-Forwarded-For", client)
        .get(PATH);
  }

  @Test
  void passesAndRefusesByStatusAndFields() {
    Http.Answer passed = ask("POST", "/api/orders/7?x=1", "192.0.2.1");
    assertThat(passed.status()).isEqualTo(200);
    assertThat(passed.header("ratelimit")).hasValueSatisfying(v -> assertThat(v).contains("r=0"));
    assertThat(passed.header("ratelimit-policy")).hasValue("\"orders\";q=1;w=3600");
    Http.Answer refused = ask("POST", "/api/orders/7", "192.0.2.1").refused();
    assertThat(refused.header("retry-after")).isPresent();
    assertThat(refused.listAt("violated-policies")).isEqualTo(List.of("orders"));

    ask("post", "/api/orders/7", "192.0.2.1").refused();

    assertThat(ask("GET", "/api/orders/7", "192.0.2.1").status()).isEqualTo(200);
    assertThat(ask("GET", "/api/orders/7", "192.0.2.1").header("ratelimit")).isEmpty();
    assertThat(ask("POST", "/api/orders/7", "192.0.2.2").status()).isEqualTo(200);
  }

  @Test
  void onlyGrantsAreSignedAsSuch() {
    assertThat(ask("POST", "/api/orders", "192.0.2.1").header("weir-decision")).hasValue("granted");
    assertThat(ask("GET", "/free", "192.0.2.1").header("weir-decision")).hasValue("granted");
    assertThat(ask("POST", "/api/orders", "192.0.2.1").refused().header("weir-decision")).isEmpty();
    assertThat(ask("GET", "/%2f", "192.0.2.1").header("weir-decision")).isEmpty();
    for (String path : List.of("/health/ready", "/metrics", "/api/admin/rules")) {
      assertThat(http.get(path).header("weir-decision")).as(path).isEmpty();
    }
  }

  @Test
  void readsTheHeadersOfTraefikAndCaddyToo() {
    Http traefik =
        http.with(
            "X-Forwarded-Method",
            "POST",
            "X-Forwarded-Uri",
            "/api/orders",
            "X-Forwarded-For",
            "192.0.2.9");
    assertThat(traefik.get(PATH).status()).isEqualTo(200);
    traefik.get(PATH).refused();
  }

  @Test
  void encodingOfABodyThatTheProxyKeepsDoesNotMatter() {
    for (String encoding : List.of("br", "zstd", "aws-chunked", "gzip")) {
      assertThat(
              http.with("X-Original-URI", "/free", "Content-Encoding", encoding).get(PATH).status())
          .as(encoding)
          .isEqualTo(200);
    }
  }

  @Test
  void decidesByManyRulesAndKeepsTheHeadSmall() {
    for (int i = 0; i < 40; i++) {
      http.post(
          "/api/admin/rules",
          """
          {"name":"%s-%d","pathPattern":"/many/**","allowedRequests":1,"windowSeconds":3600}
          """
              .formatted("n".repeat(90), i));
    }
    assertThat(ask("GET", "/many/1", "192.0.2.1").status()).isEqualTo(200);
    Http.Answer refused = ask("GET", "/many/1", "192.0.2.1").refused();
    for (String field : List.of("ratelimit", "ratelimit-policy")) {
      assertThat(refused.header(field))
          .hasValueSatisfying(value -> assertThat(value).hasSizeBetween(100, 1_000));
    }
  }

  @Test
  void quotesOfAClientDoNotHideTheAddressThatTheProxyAdds() {
    assertThat(ask("POST", "/api/orders", "1.2.3.4:\", 192.0.2.1").status()).isEqualTo(200);
    ask("POST", "/api/orders", "1.2.3.5:\", 192.0.2.1").refused();
  }

  @Test
  void aSignThatEndsThePathForSomeIsRefused() {
    ask("POST", "/api#x/orders", "192.0.2.1").problem(400, "invalid-path");
  }

  @Test
  void refusesWithAStatusThatTheProxyUnderstands() {
    ask("POST", "/api/orders", "192.0.2.1");
    for (int status : new int[] {401, 403, 429}) {
      assertThat(
              http.with(
                      "X-Original-Method", "POST",
                      "X-Original-URI", "/api/orders",
                      "X-Forwarded-For", "192.0.2.1")
                  .get(PATH + "?refuse=" + status)
                  .status())
          .isEqualTo(status);
    }
    http.with("X-Original-URI", "/").get(PATH + "?refuse=200").problem(400, "invalid-request");
  }

  @Test
  void noSpellingOfAPathAndNoMadeUpHopGetsAround() {
    assertThat(ask("POST", "/api/orders", "192.0.2.1").status()).isEqualTo(200);
    for (String uri :
        new String[] {
          "/api/orders/",
          "/api//orders",
          "/api/%6Frders",
          "/api;v=2/orders;x=1",
          "http://host/api/orders"
        }) {
      ask("POST", uri, "192.0.2.1").refused();
    }
    // The proxy forwards paths unchanged, and it is unknown how the service behind it reads dots.
    for (String uri :
        new String[] {
          "/api%2Forders",
          "/api/..;/orders",
          "/api\\orders",
          "/%00",
          "/api/x/../orders",
          "/x/%2e%2e/api/orders",
          "/api/orders/.",
          // Java's URI and browsers' URLs read a host.
          "//api/orders",
          "/x;%2f..%2fapi/orders",
          "/x%252f..%252fapi/orders"
        }) {
      ask("POST", uri, "192.0.2.1").problem(400, "invalid-path");
      assertThat(http.with("X-Original-URI", uri).get(PATH + "?refuse=403").status())
          .isEqualTo(403);
    }
    for (String hops : new String[] {"1.1.1.1, 192.0.2.1", "evil, 192.0.2.1, 127.0.0.1"}) {
      ask("POST", "/api/orders", hops).refused();
    }
    http.get(PATH).problem(400, "invalid-request");
  }

  @Test
  void whatIsSaidTwiceIsNotBelieved() {
    String[] original = {"X-Original-URI", "/free", "X-Original-Method", "GET"};
    String[] forwarded = {"X-Forwarded-Uri", "/api/orders", "X-Forwarded-Method", "POST"};
    for (List<String> headers :
        List.of(
            concat(original, forwarded),
            concat(forwarded, original),
            List.of("X-Original-URI", "/", "X-Forwarded-Uri", "/"),
            concat(forwarded, "X-Original-URI", "/free"),
            concat(forwarded, "X-Original-Method", "GET"),
            concat(original, "X-Forwarded-Uri", ""),
            concat(original, "X-Forwarded-Method", "GET"),
            concat(original, "X-Original-URI", "/free"),
            concat(original, "x-original-method", "GET"),
            concat(forwarded, "X-Forwarded-Uri", "/free"),
            concat(forwarded, "X-Forwarded-Method", "POST"))) {
      Http asking = http.with(headers.toArray(String[]::new));
      asking.get(PATH).problem(400, "ambiguous-request");
      assertThat(asking.get(PATH + "?refuse=403").status())
          .as("a refusal that nginx understands: %s", headers)
          .isEqualTo(403);
    }
    assertThat(ask("POST", "/api/orders", "127.0.0.1").status())
        .as("nothing was taken")
        .isEqualTo(200);
  }

  @Test
  void aMethodIsOneWord() {
    for (String method : List.of("GET, POST", "PO ST", "", "GET,", "GET/1", "(GET)", "\"GET\"")) {
      for (String kind : List.of("X-Original-", "X-Forwarded-")) {
        Http asking = http.with(kind + "URI", "/api/orders", kind + "Method", method);
        asking.get(PATH).problem(400, "ambiguous-request");
        assertThat(asking.get(PATH + "?refuse=403").status()).isEqualTo(403);
      }
    }
    assertThat(ask("M-SEARCH", "/api/orders", "192.0.2.1").status()).isEqualTo(200);
  }

  @Test
  void onlyWhatTheProxyIsConfiguredToSendIsBelieved() {
    Http original = http.with("X-Original-URI", "/", "X-Original-Method", "GET");
    Http forwarded = http.with("X-Forwarded-Uri", "/", "X-Forwarded-Method", "GET");
    assertThat(original.get(PATH + "?headers=original").status()).isEqualTo(200);
    assertThat(forwarded.get(PATH + "?headers=forwarded").status()).isEqualTo(200);
    original.get(PATH + "?headers=forwarded").problem(400, "ambiguous-request");
    forwarded.get(PATH + "?headers=original").problem(400, "ambiguous-request");
    http.get(PATH + "?headers=original").problem(400, "invalid-request");
    original.get(PATH + "?headers=both").wrong("headers");
  }

  @Test
  void aHeaderThatIsCountedByStandsThereOnce() {
    http.post(
        "/api/admin/rules",
        """
        {"name":"keys","pathPattern":"/keys/**","keyBy":"header:X-Api-Key",
         "allowedRequests":1,"windowSeconds":3600}
        """);
    String[] once = {"X-Original-URI", "/keys/1", "X-Api-Key", "a"};
    assertThat(http.with(once).get(PATH).status()).isEqualTo(200);
    http.with(once).get(PATH).refused();
    Http twice = http.with(concat(once, "x-api-key", "b").toArray(String[]::new));
    twice.get(PATH).problem(400, "repeated-header");
    http.with(concat(once, "X_Api_Key", "b").toArray(String[]::new))
        .get(PATH)
        .problem(400, "repeated-header");
    http.with("X-Original-URI", "/keys/1", "x_api-key", "a")
        .get(PATH)
        .problem(400, "repeated-header");
    assertThat(twice.get(PATH + "?refuse=403").status()).isEqualTo(403);
  }

  private static List<String> concat(String[] some, String... others) {
    return Stream.concat(Stream.of(some), Stream.of(others)).toList();
  }

  @Test
  void withoutTrustTheProxyItselfIsCounted() {
    try (Node other = TestNode.inMemory(Map.of())) {
      Http untrusting = new Http(other.address());
      untrusting.post(
          "/api/admin/rules",
          "{\"name\":\"all\",\"pathPattern\":\"/**\",\"allowedRequests\":1,\"windowSeconds\":900}");
      assertThat(
              untrusting
                  .with("X-Original-URI", "/", "X-Forwarded-For", "192.0.2.1")
                  .get(PATH)
                  .status())
          .isEqualTo(200);
      untrusting.with("X-Original-URI", "/", "X-Forwarded-For", "192.0.2.2").get(PATH).refused();
    }
  }
}
