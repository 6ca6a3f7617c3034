package dev.weir.routes.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.rules.matching.RequestPath;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RouteTableTest {
  private final MemoryRoutes kept = new MemoryRoutes(InstantSource.system());

  @Test
  void usesTheMostSpecificRoute() {
    RouteTable table =
        new RouteTable(
            List.of(
                route("/**"),
                route("/api/**"),
                route("/api/*"),
                route("/api/orders"),
                route("/api/{id}/lines/**"),
                route("/api/orders/*/**")),
            kept);

    assertThat(found(table, "/")).isEqualTo("/**");
    assertThat(found(table, "/other/x")).isEqualTo("/**");
    assertThat(found(table, "/api")).isEqualTo("/api/**");
    assertThat(found(table, "/api/x")).isEqualTo("/api/*");
    assertThat(found(table, "/api/orders")).isEqualTo("/api/orders");
    assertThat(found(table, "/api/7/lines/1")).isEqualTo("/api/{id}/lines/**");
    assertThat(found(table, "/api/orders/7")).isEqualTo("/api/orders/*/**");
    // Both are equally specific; the one with the earlier literal segment is used.
    assertThat(found(table, "/api/orders/lines")).isEqualTo("/api/orders/*/**");
  }

  @Test
  void aRegisteredRouteWinsOverASettingWithTheSamePattern() {
    RouteTable table = new RouteTable(List.of(route("/api/{id}")), kept);
    kept.create(RouteSpec.of("/api/*", "http://kept:1"), "me");
    assertThat(found(table, "/api/1")).isEqualTo("/api/{id}");

    table.refresh();

    assertThat(found(table, "/api/1")).isEqualTo("/api/*");
  }

  @Test
  void anInactiveRouteIsIgnored() {
    RouteSpec route = route("/api");
    kept.create(new RouteSpec(route.path(), route.upstream(), false), "me");

    assertThat(new RouteTable(List.of(), kept).find(RequestPath.of("/api"))).isNull();
  }

  @Test
  void parsesUpstreamsAsItWritesThem() {
    for (String text :
        List.of("http://a:80", "https://a.b:443", "h2c://127.0.0.1:1", "h2://[::1]:65535")) {
      assertThat(Upstream.of(text).text()).isEqualTo(text);
    }
    assertThat(Upstream.of("http://a/")).isEqualTo(new Upstream(Upstream.Protocol.HTTP, "a", 80));
    assertThat(Upstream.of("H2://a").port()).isEqualTo(443);
    for (String text :
        List.of("", "a", "a:80", "ftp://a", "http://u@a", "http://a/b", "http://a:0", "http:a")) {
      assertThatIllegalArgumentException().as(text).isThrownBy(() -> Upstream.of(text));
    }
  }

  private static RouteSpec route(String path) {
    return RouteSpec.of(path, "http://127.0.0.1:9000");
  }

  private static String found(RouteTable table, String path) {
    RouteSpec route = table.find(RequestPath.of(path));
    return route == null ? "none" : route.path().text();
  }
}
