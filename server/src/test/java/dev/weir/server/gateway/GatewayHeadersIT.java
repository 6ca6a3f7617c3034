package dev.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.RawHttp;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The upstream learns the client's address, and hop-by-hop headers are not forwarded. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class GatewayHeadersIT {
  private static final String GET = "GET %s HTTP/1.1\r\nHost: shop\r\n%s\r\n";

  @Test
  void removesWhatIsMeantForOneHopOnly() throws Exception {
    try (TestUpstream upstream =
            new TestUpstream(
                (head, in, out) ->
                    TestUpstream.send(
                        out,
                        String.join(
                            "\r\n",
                            "HTTP/1.1 200 OK",
                            "Connection: X-Secret",
                            "X-Secret: 1",
                            "Keep-Alive: 5",
                            "X-Kept: 2",
                            "Content-Length: 2",
                            "",
                            "ok")));
        TestGateway gateway = new TestGateway(upstream.address());
        RawHttp raw = new RawHttp(gateway.address())) {
      raw.send(
          GET.formatted(
              "/",
              """
              Connection: X-Hop, Content-Length, Host\r
              X-Hop: 1\r
              TE: trailers\r
              Keep-Alive: 5\r
              Proxy-Connection: x\r
              Proxy-Authorization: x\r
              X-Kept: 2\r
              """));
      assertThat(raw.readTo("\r\n\r\nok").toLowerCase(Locale.ROOT))
          .doesNotContain("x-secret")
          .doesNotContain("keep-alive")
          .contains("x-kept: 2")
          .contains("via: 1.1 weir");
      assertThat(upstream.lastHead().toLowerCase(Locale.ROOT))
          .contains("host: shop")
          .contains("x-kept: 2")
          .contains("via: 1.1 weir")
          .doesNotContain("x-hop")
          .doesNotContain("\nte:")
          .doesNotContain("keep-alive")
          .doesNotContain("proxy-");
    }
  }

  @Test
  void believesOnlyTrustedProxies() throws Exception {
    String forged =
        """
        Forwarded: for=6.6.6.6\r
        X-Forwarded-For: 6.6.6.6\r
        X_Forwarded_For: 6.6.6.6\r
        X-Real-IP: 6.6.6.6\r
        X-Forwarded-Host: evil\r
        X-Forwarded-Proto: https\r
        X-Original-URL: /admin\r
        x_original_uri: /admin\r
        X_Forwarded_Uri: /admin\r
        X-Forwarded_Method: 6.6.6.6\r
        X-Original-Host: evil\r
        X-Forwarded-Scheme: 6.6.6.6\r
        X-Forwarded-Ssl: 6.6.6.6\r
        X-Forwarded: for=6.6.6.6\r
        X-Forwarded-Of-Tomorrow: 6.6.6.6\r
        X-Client-IP: 6.6.6.6\r
        True_Client_Ip: 6.6.6.6\r
        Transfer_Encoding: 6.6.6.7\r
        content_Length: 6.6.6.7\r
        X-Request-Id: mine\r
        """;
    try (TestUpstream upstream = TestUpstream.friendly();
        TestGateway gateway = new TestGateway(upstream.address());
        TestGateway trusting =
            new TestGateway(
                TestGateway.Choice.DEFAULTS.trusting("127.0.0.0/8"), upstream.address())) {
      try (RawHttp raw = new RawHttp(gateway.address())) {
        raw.send(GET.formatted("/", forged));
        String answer = raw.readTo("ok");
        String head = upstream.lastHead();
        assertThat(head).doesNotContain("6.6.6").doesNotContain("evil").doesNotContain("/admin");
        assertThat(TestUpstream.field(head, "forwarded"))
            .hasValue("for=127.0.0.1;host=\"shop\";proto=http");
        assertThat(TestUpstream.field(head, "x-forwarded-for")).hasValue("127.0.0.1");
        assertThat(TestUpstream.field(head, "x-forwarded-host")).hasValue("shop");
        assertThat(TestUpstream.field(head, "x-forwarded-proto")).hasValue("http");
        String id = TestUpstream.field(head, "x-request-id").orElseThrow();
        assertThat(id).matches("[0-9a-f]{32}");
        assertThat(TestUpstream.field(answer, "x-request-id")).hasValue(id);
      }
      try (RawHttp raw = new RawHttp(trusting.address())) {
        raw.send(GET.formatted("/", forged));
        String answer = raw.readTo("ok");
        String head = upstream.lastHead();
        assertThat(TestUpstream.field(head, "forwarded"))
            .hasValue("for=6.6.6.6, for=127.0.0.1;host=\"shop\";proto=http");
        assertThat(TestUpstream.field(head, "x-forwarded-for")).hasValue("6.6.6.6, 127.0.0.1");
        assertThat(TestUpstream.field(head, "x-forwarded-host")).hasValue("evil");
        assertThat(TestUpstream.field(head, "x-forwarded-proto")).hasValue("https");
        assertThat(head).as("not even a proxy may disguise framing").doesNotContain("6.6.6.7");
        assertThat(TestUpstream.field(answer, "x-request-id")).hasValue("mine");
      }
    }
  }
}
