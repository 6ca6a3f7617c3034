package dev.weir.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.spring.internal.gate.OriginalRequests;
import dev.weir.spring.internal.servlet.TomcatPeerCustomizer;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.apache.catalina.valves.RemoteIpValve;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.AbstractConfigurableWebServerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * No header makes up an address, whatever Spring and the web server believe. All clients here are
 * on the loopback interface, which Tomcat takes for a proxy.
 */
final class ForwardedHeadersTest {
  private static final String FROM = "X-Forwarded-For";

  /**
   * The ways in which a service may be told to believe headers; on Kubernetes it does so unasked.
   */
  private static final List<Map<String, String>> STRATEGIES =
      List.of(
          Map.of("server.forward-headers-strategy", "none"),
          Map.of("server.forward-headers-strategy", "native"),
          Map.of("server.forward-headers-strategy", "framework"),
          Map.of("spring.main.cloud-platform", "kubernetes"),
          Map.of("server.tomcat.remoteip.remote-ip-header", FROM));

  /** A service that configures Tomcat's valve itself, before Weir sees the factory. */
  @Configuration(proxyBeanMethods = false)
  static class OwnValve {
    @Bean
    TomcatServletWebServerFactory tomcat() {
      TomcatServletWebServerFactory factory = new TomcatServletWebServerFactory();
      factory.addEngineValves(new RemoteIpValve());
      return factory;
    }
  }

  @Test
  void onSpringMvcOnlyTrustedProxiesAreBelieved() throws Exception {
    for (Map<String, String> strategy : STRATEGIES) {
      onlyTrustedProxiesAreBelieved(strategy, Service::onTomcat);
    }
    onlyTrustedProxiesAreBelieved(
        Map.of(), properties -> Service.onTomcat(properties, OwnValve.class));
    withoutProxiesNobodyIsBelieved(STRATEGIES.get(1), Service::onTomcat);
  }

  @Test
  void onWebFluxOnlyTrustedProxiesAreBelieved() throws Exception {
    for (Map<String, String> strategy : STRATEGIES) {
      onlyTrustedProxiesAreBelieved(strategy, Service::onNetty);
    }
    withoutProxiesNobodyIsBelieved(STRATEGIES.get(1), Service::onNetty);
  }

  private static Map<String, Object> oneForEachAddress(Map<String, String> strategy) {
    Map<String, Object> properties = new HashMap<>(strategy);
    properties.put("weir.rules[0].name", "threads");
    properties.put("weir.rules[0].path-pattern", "/threads/**");
    properties.put("weir.rules[0].key-by", "ip");
    properties.put("weir.rules[0].allowed-requests", "1");
    properties.put("weir.rules[0].window-seconds", "3600");
    return properties;
  }

  /** A proxy and a stranger send requests to one service: each start takes a while. */
  private static void onlyTrustedProxiesAreBelieved(
      Map<String, String> strategy, Function<Map<String, Object>, Service> start)
      throws IOException {
    Optional<InetAddress> stranger = otherLoopbackAddress();
    if (stranger.isEmpty()) {
      withoutProxiesNobodyIsBelieved(strategy, start);
    }
    Map<String, Object> properties = oneForEachAddress(strategy);
    properties.put("weir.trusted-proxies", "127.0.0.1");
    try (Service service = start.apply(properties)) {
      stranger.ifPresent(
          address ->
              assertNotBelieved(
                  strategy,
                  header -> service.statusFrom(address, "/threads/1", header[0], header[1])));
      assertThat(status(service, FROM, "192.0.2.9, 192.0.2.1")).isEqualTo(200);
      assertThat(status(service, FROM, "192.0.2.8, 192.0.2.1")).as("%s", strategy).isEqualTo(429);
      assertThat(status(service, FROM, "192.0.2.9, 192.0.2.2")).as("%s", strategy).isEqualTo(200);
      // A private address, which Tomcat trusts and Weir does not.
      assertThat(status(service, FROM, "192.0.2.9, 10.0.0.7")).as("%s", strategy).isEqualTo(200);
      assertThat(status(service, FROM, "192.0.2.6, 10.0.0.7")).as("%s", strategy).isEqualTo(429);
    }
  }

  private static void withoutProxiesNobodyIsBelieved(
      Map<String, String> strategy, Function<Map<String, Object>, Service> start) {
    try (Service service = start.apply(oneForEachAddress(strategy))) {
      assertNotBelieved(strategy, header -> status(service, header));
    }
  }

  /** Only the first request of a client is admitted, whatever its headers say. */
  private static void assertNotBelieved(
      Map<String, String> strategy, ToIntFunction<String[]> status) {
    assertThat(status.applyAsInt(new String[] {FROM, "192.0.2.1"})).isEqualTo(200);
    for (String[] header :
        new String[][] {
          {FROM, "192.0.2.2"},
          {FROM, "192.0.2.2, 10.0.0.7"},
          {"Forwarded", "for=192.0.2.3"},
          {"X-Forwarded-Prefix", "/elsewhere"}
        }) {
      assertThat(status.applyAsInt(header)).as("%s %s", strategy, header[0]).isEqualTo(429);
    }
  }

  /** Linux has all of 127.0.0.0/8, other systems one address of it. */
  private static Optional<InetAddress> otherLoopbackAddress() throws IOException {
    InetAddress other = InetAddress.getByName("127.0.0.2");
    try (ServerSocket bound = new ServerSocket(0, 1, other)) {
      return Optional.of(bound.getInetAddress());
    } catch (BindException e) {
      return Optional.empty();
    }
  }

  private static int status(Service service, String... header) {
    return service.get("/threads/1", header).status();
  }

  /** A web server whose requests Weir can only read as that server presents them. */
  private static final class OtherServer extends AbstractConfigurableWebServerFactory {}

  @Test
  void aServerThatBelievesHeadersAndHidesThemIsRefused() {
    OriginalRequests ofTomcat = new TomcatPeerCustomizer();
    for (boolean isReactive : new boolean[] {false, true}) {
      for (Map<String, String> strategy : STRATEGIES.subList(1, 4)) {
        StandardEnvironment environment = new StandardEnvironment();
        environment
            .getPropertySources()
            .addFirst(new MapPropertySource("test", Map.copyOf(strategy)));
        ForwardedHeadersCheck check =
            new ForwardedHeadersCheck(environment, List.of(ofTomcat), isReactive);
        assertThatCode(() -> check.customize(new TomcatServletWebServerFactory()))
            .doesNotThrowAnyException();
        if (strategy.containsValue("framework") && !isReactive) {
          assertThatCode(() -> check.customize(new OtherServer())).doesNotThrowAnyException();
        } else {
          assertThatThrownBy(() -> check.customize(new OtherServer()))
              .as("%s", strategy)
              .isInstanceOf(InvalidConfigurationPropertyValueException.class)
              .hasMessageContaining("server.forward-headers-strategy")
              .hasMessageContaining("weir.trusted-proxies");
        }
      }
      ForwardedHeadersCheck usual =
          new ForwardedHeadersCheck(new StandardEnvironment(), List.of(), isReactive);
      assertThatCode(() -> usual.customize(new OtherServer())).doesNotThrowAnyException();
    }
  }
}
