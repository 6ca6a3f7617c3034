package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Services that do not have all that the starter could use, each in a process of its own. */
final class MissingPartsTest {
  private static final List<String> OF_REDIS_AND_ACTUATOR =
      List.of(
          "dev.weir.store.jdbc.internal.Sql",
          "dev.weir.store.redis.Redis",
          "dev.weir.workflows.PacedStarter",
          "io.lettuce.core.RedisClient",
          "io.micrometer.core.instrument.MeterRegistry",
          "org.springframework.boot.actuate.endpoint.annotation.Endpoint",
          "org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration",
          "org.springframework.boot.health.contributor.HealthIndicator",
          "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration");

  private static final List<String> OF_REACTOR_NETTY =
      List.of("reactor.netty.http.server.HttpServerRequest", "reactor.netty.Connection");

  private static final List<String> OF_TOMCAT =
      List.of(
          "org.apache.catalina.Valve",
          "org.springframework.boot.tomcat.TomcatWebServerFactory",
          "org.springframework.web.servlet.DispatcherServlet");

  private static final List<String> OF_REACTOR =
      List.of(
          "reactor.core.publisher.Mono",
          "reactor.netty.http.server.HttpServerRequest",
          "reactor.netty.Connection",
          "org.springframework.web.reactive.DispatcherHandler");

  private static final String[] LIMITED = {"They got 200 and 429", "A call was refused by calls"};

  @Test
  void onSpringMvcReactorIsNotNeeded() throws Exception {
    assertThat(without(OF_REACTOR, "servlet")).contains(LIMITED);
  }

  @Test
  void onSpringMvcNeitherRedisNorActuatorIsNeeded() throws Exception {
    assertThat(without(OF_REDIS_AND_ACTUATOR, "servlet")).contains(LIMITED);
  }

  @Test
  void onWebFluxNeitherRedisNorActuatorIsNeeded() throws Exception {
    assertThat(without(OF_REDIS_AND_ACTUATOR, "webflux")).contains(LIMITED);
  }

  @Test
  void onWebFluxReactorNettyIsNotNeeded() throws Exception {
    assertThat(without(OF_REACTOR_NETTY, "webflux")).contains(LIMITED);
  }

  @Test
  void slotsInPostgresqlNeedTheirArtifact() throws Exception {
    assertThat(
            without(
                List.of("dev.weir.store.jdbc.internal.Sql"),
                "servlet",
                "weir.slots.store=postgresql"))
        .contains("The artifact weir-store-jdbc is not on the class path.")
        .doesNotContain("They got");
  }

  /** Where WebFlux runs on Tomcat: the two requests come from two addresses that they make up. */
  @Test
  void onWebFluxOnTomcatClientsCannotForgeTheirAddress() throws Exception {
    for (String strategy : new String[] {"framework", "native"}) {
      assertThat(
              without(OF_REACTOR_NETTY, "webflux", "server.forward-headers-strategy=" + strategy))
          .as(strategy)
          .contains(LIMITED);
    }
  }

  @Test
  void onWebFluxTomcatIsNotNeeded() throws Exception {
    assertThat(without(OF_TOMCAT, "webflux")).contains(LIMITED);
  }

  @Test
  void slotsOfAServerNeedTheirArtifact() throws Exception {
    assertThat(
            without(
                List.of("dev.weir.workflows.RemoteSlots", "io.temporal.client.WorkflowClient"),
                "servlet",
                "weir.slots.store=remote"))
        .contains("The artifact weir-workflows is not on the class path.")
        .doesNotContain("They got");
  }

  /** The output on a class path without the jars of these classes. */
  private static String without(List<String> missing, String... arguments)
      throws IOException, InterruptedException, ReflectiveOperationException, URISyntaxException {
    List<String> left =
        new ArrayList<>(List.of(System.getProperty("java.class.path").split(File.pathSeparator)));
    List<String> removed = new ArrayList<>(missing);
    // The manifest of the server's jar, which other tests use, names all of its libraries.
    removed.add("dev.weir.server.Main");
    for (String each : removed) {
      Path place =
          Path.of(Class.forName(each).getProtectionDomain().getCodeSource().getLocation().toURI());
      assertThat(left.removeIf(entry -> Path.of(entry).equals(place))).as(each).isTrue();
    }
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // A short life: compile lightly.
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(List.of("-cp", String.join(File.pathSeparator, left)));
    command.add(TwoRequests.class.getName());
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return output;
  }
}
