package dev.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.weir.node.wiring.Node;
import dev.weir.server.gateway.node.GatewaySetting;
import dev.weir.server.http.Http;
import dev.weir.server.wiring.TestNode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Routes over REST, and their effect on the gateway of the node. */
final class RouteIT {
  private static HttpServer upstream;
  private static Node node;
  private static Http http;
  private static Http gateway;

  @BeforeAll
  static void start() throws Exception {
    upstream = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    upstream.createContext(
        "/",
        exchange -> {
          byte[] path = exchange.getRequestURI().toString().getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, path.length);
          exchange.getResponseBody().write(path);
          exchange.close();
        });
    upstream.start();
    node =
        TestNode.inMemory(
            Map.of(GatewaySetting.PORT, "0", GatewaySetting.ROUTES, "/fixed/** = " + address()));
    http = new Http(node.address());
    gateway = new Http(node.address("gateway").orElseThrow());
  }

  @AfterAll
  static void stop() {
    node.close();
    upstream.stop(0);
  }

  private static String address() {
    return "http://127.0.0.1:" + upstream.getAddress().getPort();
  }

  private static String route(String path) {
    return "{\"pathPattern\":\"%s\",\"upstream\":\"%s\"}".formatted(path, address());
  }

  @Test
  void aRouteIsUsedAtOnceAndGoneAtOnce() {
    assertThat(gateway.get("/fixed/a?b").text()).isEqualTo("/fixed/a?b");
    gateway.get("/made/a").problem(404, "no-route");
    Http.Answer made = http.post("/api/admin/routes", route("/made/**"));
    assertThat(made.status()).isEqualTo(201);
    String tag = made.header("etag").orElseThrow();
    assertThat(tag).isEqualTo("\"1-%s\"".formatted(made.textAt("updatedAt")));
    String location = made.header("location").orElseThrow();
    assertThat(gateway.get("/made/a").text()).isEqualTo("/made/a");
    assertThat(http.get(location).ok().textAt("upstream")).isEqualTo(address());
    assertThat(http.get("/api/admin/routes").ok().textAt("0.pathPattern")).isNotBlank();

    assertThat(http.put(location, route("/moved/**")).ok().intAt("version")).isEqualTo(2);
    gateway.get("/made/a").problem(404, "no-route");
    assertThat(gateway.get("/moved/a").text()).isEqualTo("/moved/a");
    http.with("If-Match", tag).put(location, route("/again/**")).problem(412, "route-changed");
    Http.Answer versions = http.get(location + "/versions").ok();
    assertThat(versions.intAt("0.version")).isEqualTo(2);
    assertThat(versions.textAt("0.pathPattern")).isEqualTo("/moved/**");
    assertThat(versions.textAt("1.changedBy")).isNotBlank();

    assertThat(http.delete(location).status()).isEqualTo(204);
    gateway.get("/moved/a").problem(404, "no-route");
    http.get(location).problem(404, "unknown-route");
    http.delete(location).problem(404, "unknown-route");
    http.get(location + "/versions").problem(404, "unknown-route");
    http.get("/api/admin/routes/x/versions").problem(404, "unknown-route");
  }

  @Test
  void refusesRoutesThatAreNone() {
    http.post("/api/admin/routes", "{}").wrong("pathPattern", "upstream");
    for (String upstream :
        new String[] {
          "ftp://a", "http://", "http://u:p@a", "http://a/b", "http://a?b", "http://a:0", "a:80", ""
        }) {
      http.post(
              "/api/admin/routes",
              "{\"pathPattern\":\"/a\",\"upstream\":\"%s\"}".formatted(upstream))
          .wrong("upstream");
    }
    http.post("/api/admin/routes", route("/a**")).wrong("pathPattern");
    http.post("/api/admin/routes", route("/taken"));
    http.post("/api/admin/routes", route("/taken")).problem(409, "path-taken");
  }

  @Test
  void rulesHoldForWhatGoesThrough() {
    assertThat(
            http.post(
                    "/api/admin/rules",
                    """
                    {"name":"through","pathPattern":"/fixed/limited/**",
                     "allowedRequests":1,"windowSeconds":3600}
                    """)
                .status())
        .isEqualTo(201);
    Http.Answer passed = gateway.get("/fixed/limited/x");
    assertThat(passed.status()).isEqualTo(200);
    assertThat(passed.header("RateLimit")).isPresent();
    gateway.get("/fixed/limited/x").refused();
    assertThat(gateway.get("/fixed/other").status()).isEqualTo(200);
  }
}
