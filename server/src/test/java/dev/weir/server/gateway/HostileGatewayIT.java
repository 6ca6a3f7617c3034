package dev.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.rules.spec.Quota;
import dev.weir.server.faults.Waiting;
import dev.weir.server.http.RawHttp;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Malformed and ambiguous requests reach no upstream and do no harm to the gateway. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class HostileGatewayIT {
  private static final String HEAD = "POST /hostile HTTP/1.1\r\nHost: shop\r\n";

  private static TestUpstream upstream;
  private static TestGateway gateway;

  @BeforeAll
  static void start() throws IOException {
    upstream = TestUpstream.friendly();
    gateway = new TestGateway(upstream.address());
    gateway.limit("/admin/**", 1, Quota.QueueSettings.NONE);
    gateway.http().get("/admin/first");
  }

  @AfterAll
  static void stop() throws IOException {
    gateway.close();
    upstream.close();
  }

  @AfterEach
  void theGatewayIsNoneTheWorse() {
    assertThat(gateway.http().get("/fine").text()).isEqualTo("ok");
    assertThat(upstream.heads()).noneMatch(head -> head.contains("hostile"));
  }

  private static void refuses(int status, String request) throws IOException {
    assertThat(RawHttp.exchange(gateway.address(), request))
        .as(request.substring(0, Math.min(200, request.length())))
        .startsWith("HTTP/1.1 " + status + " ")
        .contains("application/problem+json");
  }

  @Test
  void refusesConflictingLengths() throws IOException {
    refuses(400, HEAD + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello");
    refuses(400, HEAD + "Content-Length: 5, 6\r\n\r\nhello");
    refuses(
        400,
        HEAD + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n");
    refuses(
        400,
        HEAD + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n5\r\nhello\r\n0\r\n\r\n");
    for (String length : new String[] {"-1", "+5", "0x5", "5a", "99999999999999999999"}) {
      refuses(400, HEAD + "Content-Length: " + length + "\r\n\r\nhello");
    }
  }

  @Test
  void refusesTransferEncodingsInDisguise() throws IOException {
    String close = "Connection: close\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
    refuses(400, HEAD + "Transfer-Encoding: gzip, chunked\r\n" + close);
    refuses(400, HEAD + "Transfer-Encoding: xchunked\r\n" + close);
    refuses(400, HEAD + "Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n" + close);
    refuses(400, HEAD + "Transfer-Encoding : chunked\r\n" + close);
    refuses(400, HEAD + "X: 1\r\n Transfer-Encoding: chunked\nTransfer-Encoding: x\r\n" + close);
  }

  /** Its body would be taken for a request, whatever a proxy in front believes. */
  @Test
  void nothingIsReadAfterATransferEncodingThatIsNotKnown() throws IOException {
    String inside = "GET /hostile HTTP/1.1\r\nHost: shop\r\n\r\n";
    for (String head :
        List.of(
            HEAD,
            "GET /hostile HTTP/1.0\r\nHost: shop\r\n",
            "TRACE /hostile HTTP/1.1\r\nHost: shop\r\n",
            "POST /hostile%2f HTTP/1.1\r\nHost: shop\r\n")) {
      for (String encoding : List.of("xchunked", "gzip", "identity", "gzip, chunked")) {
        String answer =
            RawHttp.exchange(
                gateway.address(),
                head + "Transfer-Encoding: " + encoding + "\r\n\r\n" + inside + inside);
        assertThat(answer).as(encoding).startsWith("HTTP/1.1 400 ").contains("onnection: close");
        assertThat(answer.split("HTTP/1.1 ", -1)).as(encoding).hasSize(2);
      }
    }
  }

  @Test
  void refusesWhatIsNoHttp() throws IOException {
    refuses(400, "GET\r\n\r\n");
    refuses(400, HEAD + "X: a\0b\r\n\r\n");
    refuses(400, HEAD + "X y: a\r\n\r\n");
    refuses(400, "\u0016\u0003\u0001\u0002\0\u0001\r\n\r\n");
    refuses(505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    refuses(405, "CONNECT hostile:443 HTTP/1.1\r\nHost: hostile\r\nConnection: close\r\n\r\n");
    refuses(405, "TRACE /hostile HTTP/1.1\r\nHost: shop\r\nConnection: close\r\n\r\n");
  }

  @Test
  void refusesRequestsWithoutOneHost() throws IOException {
    refuses(400, "GET /hostile HTTP/1.1\r\nConnection: close\r\n\r\n");
    refuses(400, "GET /hostile HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n");
    refuses(400, "GET /hostile HTTP/1.1\r\nHost: a/b?c\r\nConnection: close\r\n\r\n");
    for (String host :
        List.of(
            "[::1",
            "::1]",
            "[::1]x",
            "[]",
            "[x]",
            "[::1]:",
            "[1:2]",
            "x:99999",
            "x:65536",
            "x:-1",
            "x:y",
            "x:1:2",
            ":80",
            "x y",
            "x..[",
            "[::1]:99999")) {
      refuses(400, "GET /hostile HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
    }
    for (String host :
        List.of("x", "x:80", "x:65535", "[::1]", "[::1]:8080", "1.2.3.4:0", "a_b.c-d~")) {
      assertThat(
              RawHttp.exchange(
                  gateway.address(),
                  "GET /fine HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n"))
          .as(host)
          .startsWith("HTTP/1.1 200 ");
    }
    refuses(400, "GET http://u@h/hostile HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    for (String target : List.of("http:///hostile", "http://", "http://?hostile", "x:///hostile")) {
      assertThat(asked(target)).as(target).startsWith("HTTP/1.1 400 ");
    }
    assertThat(asked("http://shop/fine")).startsWith("HTTP/1.1 200 ");
  }

  /** Other methods would reach whatever the upstream takes an asterisk for. */
  @Test
  void refusesTheServerAsATargetOfAnythingButOptions() throws IOException {
    int before = upstream.heads().size();
    for (String method : List.of("GET", "HEAD", "POST", "DELETE", "OPTIONSX")) {
      assertThat(asked(method, "*")).as(method).startsWith("HTTP/1.1 400 ");
    }
    assertThat(asked("OPTIONS", "*?hostile")).startsWith("HTTP/1.1 400 ");
    assertThat(upstream.heads()).hasSize(before);
    assertThat(asked("OPTIONS", "*")).startsWith("HTTP/1.1 200 ");
    assertThat(upstream.lastHead()).startsWith("OPTIONS * HTTP/1.1\r\n");
  }

  @Test
  void boundsHeadersAndRequestLines() throws IOException {
    refuses(431, HEAD + "X: " + "x".repeat(20_000) + "\r\n\r\n");
    StringBuilder many = new StringBuilder(HEAD);
    for (int i = 0; i < 5_000; i++) {
      many.append("X-").append(i).append(": 1\r\n");
    }
    refuses(431, many + "\r\n");
    refuses(414, "GET /hostile" + "x".repeat(9_000) + " HTTP/1.1\r\nHost: shop\r\n\r\n");
    // Never the end of a line.
    refuses(414, "GET /hostile" + "x".repeat(100_000));
  }

  @Test
  void noSpellingOfAPathGetsAroundARule() throws IOException {
    int before = upstream.heads().size();
    List<String> spellings =
        List.of(
            "/admin/x",
            "/./admin/x",
            "//admin/x",
            "/a/../admin/x",
            "/%61dmin/x",
            "/a/%2e%2e/admin/x",
            "/a/.%2E/admin/x",
            "/admin;a=b/x",
            "/admin/./x/",
            "/admin/x?/../../fine",
            "http://shop/admin/x",
            "/admin/hostile/../x");
    for (String spelling : spellings) {
      assertThat(asked(spelling)).as(spelling).startsWith("HTTP/1.1 429 ");
    }
    for (String spelling :
        List.of(
            "/a%2f..%2fadmin/x",
            "/admin%2fx",
            "/admin%2Fx",
            "/a;%2f..%2fadmin/x",
            "/a;%5c..%5cadmin/x",
            "/a;%252f..%252fadmin/x",
            "/a%252f..%252fadmin/x",
            "/%2561dmin/x",
            "/admin%3bx/x",
            "/admin\\x",
            "/admin%5cx",
            "/a/..;/admin/x",
            "/a/..%3b/admin/x?",
            "/a/%252e%252e/admin/x",
            "/a/.%252E/admin/x",
            "/admin%00/x",
            "/admin%c0%af/x",
            "/admin%",
            "/admin%zz/x",
            "/fine#/../admin/x",
            "admin/x")) {
      assertThat(asked(spelling)).as(spelling).startsWith("HTTP/1.1 4").doesNotContain("ok");
    }
    assertThat(upstream.heads()).hasSize(before);
    // The upstream receives the path that the rules were matched with.
    asked("//fine");
    assertThat(upstream.lastHead()).startsWith("GET /fine HTTP/1.1\r\n");
    asked("/admin/../fine/./%66?a=/../b");
    assertThat(upstream.lastHead()).startsWith("GET /fine/%66?a=/../b HTTP/1.1\r\n");
  }

  @Test
  void noCaseOfAMethodGetsAroundARule() throws IOException {
    gateway.rule(
        "/writes/**",
        new Quota.Rate(TestGateway.window(1), Quota.QueueSettings.NONE),
        spec -> spec.covering(spec.coverage().methods(Set.of("POST"))));
    gateway.http().post("/writes/first");
    int before = upstream.heads().size();
    for (String method : List.of("POST", "post", "Post")) {
      assertThat(asked(method, "/writes/x")).as(method).startsWith("HTTP/1.1 429 ");
    }
    assertThat(upstream.heads()).hasSize(before);
    assertThat(asked("get", "/writes/x")).startsWith("HTTP/1.1 200 ");
    assertThat(upstream.lastHead()).as("sent on as it came").startsWith("get /writes/x ");
    // An upstream that folds would execute these.
    refuses(405, "trace /hostile HTTP/1.1\r\nHost: shop\r\nConnection: close\r\n\r\n");
    refuses(405, "Connect hostile:443 HTTP/1.1\r\nHost: hostile\r\nConnection: close\r\n\r\n");
  }

  private static String asked(String target) throws IOException {
    return asked("GET", target);
  }

  private static String asked(String method, String target) throws IOException {
    return RawHttp.exchange(
        gateway.address(),
        method + " " + target + " HTTP/1.1\r\nHost: shop\r\nConnection: close\r\n\r\n");
  }

  @Test
  void isNotKeptBusyBySlowHeads() throws Exception {
    try (TestGateway hasty = hasty(GatewaySettings.Bounds.DEFAULT)) {
      List<RawHttp> slow = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        RawHttp client = new RawHttp(hasty.address());
        client.send(HEAD + "X: ");
        slow.add(client);
      }
      for (RawHttp client : slow) {
        // A byte now and then does not extend the time.
        Waiting.until(
            "maxWait to end",
            () -> {
              boolean isOver = client.isAnswered();
              if (!isOver) {
                client.send("x");
              }
              return isOver;
            });
        assertThat(client.readTo("}")).startsWith("HTTP/1.1 408 ");
        client.close();
      }
    }
  }

  @Test
  void isNotKeptBusyByASlowHeadBehindACompleteRequest() throws Exception {
    try (TestGateway hasty = hasty(GatewaySettings.Bounds.DEFAULT);
        RawHttp client = new RawHttp(hasty.address())) {
      client.send("GET /fine HTTP/1.1\r\nHost: shop\r\n\r\n" + HEAD + "X: ");
      assertThat(client.readTo("ok")).startsWith("HTTP/1.1 200 ");
      assertThat(client.readAll()).startsWith("HTTP/1.1 408 ");
    }
  }

  /** A gateway with short timeouts for clients. */
  private static TestGateway hasty(GatewaySettings.Bounds bounds) throws IOException {
    return new TestGateway(
        TestGateway.Choice.DEFAULTS
            .bounds(bounds)
            .times(
                new GatewaySettings.Times(
                    TestGateway.SHORT,
                    TestGateway.LONG,
                    TestGateway.LONG,
                    TestGateway.LONG,
                    TestGateway.LONG)),
        upstream.address());
  }

  @Test
  void isNotKeptBusyBySlowBodies() throws Exception {
    // At any rate, so that the upstream may take its time to respond.
    try (TestGateway hasty = hasty(GatewaySettings.Bounds.DEFAULT.withMinRate(0));
        RawHttp raw = new RawHttp(hasty.address())) {
      raw.send("POST /slow HTTP/1.1\r\nHost: shop\r\nContent-Length: 100\r\n\r\nhello");
      // The upstream of this test responds before it has the body.
      assertThat(raw.readTo("ok")).startsWith("HTTP/1.1 200 ");
      assertThat(raw.readAll()).isEmpty();
    }
  }

  @Test
  void refusesBrokenChunks() throws IOException {
    try (RawHttp raw = new RawHttp(gateway.address())) {
      raw.send(
          String.join(
              "\r\n",
              "POST /chunks HTTP/1.1",
              "Host: shop",
              "Transfer-Encoding: chunked",
              "",
              "zz",
              "hello",
              ""));
      assertThat(raw.readAll()).startsWith("HTTP/1.1 400 ");
    }
  }

  @Test
  void boundsConnections() throws Exception {
    try (TestGateway small =
        new TestGateway(
            TestGateway.Choice.DEFAULTS.bounds(
                GatewaySettings.Bounds.DEFAULT.withConnections(2).withUpstreamConnections(10)),
            upstream.address())) {
      try (RawHttp one = new RawHttp(small.address());
          RawHttp two = new RawHttp(small.address())) {
        for (RawHttp in : List.of(one, two)) {
          in.send("GET / HTTP/1.1\r\nHost: shop\r\n\r\n");
          in.readTo("ok");
        }
        try (RawHttp three = new RawHttp(small.address())) {
          assertThat(three.readAll()).isEmpty();
        }
      }
      Waiting.until("them to have left", () -> small.gateway().count() == 0);
      assertThat(small.http().get("/").text()).isEqualTo("ok");
    }
  }
}
