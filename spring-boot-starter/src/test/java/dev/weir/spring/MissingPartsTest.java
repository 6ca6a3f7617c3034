package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
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

  /** Slots that are configured to be in one of them name the artifact that is missing. */
  @Test
  void onSpringMvcNeitherReactorNorRedisNorDatabasesNorTemporalNorActuatorIsNeeded()
      throws Exception {
    List<String> outputs =
        without(
            Stream.concat(OF_REDIS_AND_ACTUATOR.stream(), OF_REACTOR.stream()).toList(),
            "servlet",
            "servlet weir.slots.store=postgresql",
            "servlet weir.slots.store=remote");
    assertThat(outputs.get(0)).contains(LIMITED);
    assertThat(outputs.get(1))
        .contains("The artifact weir-store-jdbc is not on the class path.")
        .doesNotContain("They got");
    assertThat(outputs.get(2))
        .contains("The artifact weir-workflows is not on the class path.")
        .doesNotContain("They got");
  }

  /**
   * Then WebFlux runs on Tomcat, and the two requests come from two addresses that they make up.
   */
  @Test
  void onWebFluxReactorNettyIsNotNeededAndClientsCannotForgeTheirAddress() throws Exception {
    assertThat(
            without(
                OF_REACTOR_NETTY,
                "webflux",
                "webflux server.forward-headers-strategy=framework",
                "webflux server.forward-headers-strategy=native"))
        .hasSize(3)
        .allSatisfy(each -> assertThat(each).contains(LIMITED));
  }

  @Test
  void onWebFluxNeitherTomcatNorRedisNorDatabasesNorTemporalNorActuatorIsNeeded() throws Exception {
    assertThat(
            without(
                Stream.concat(OF_REDIS_AND_ACTUATOR.stream(), OF_TOMCAT.stream()).toList(),
                "webflux"))
        .singleElement(STRING)
        .contains(LIMITED);
  }

  /** What services print one after the other, on a class path without the jars of these classes. */
  private static List<String> without(List<String> missing, String... services)
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
    command.addAll(List.of(services));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    List<String> outputs = List.of(output.split(TwoRequests.OVER + "\\R"));
    assertThat(outputs).as(output).hasSize(services.length);
    return outputs;
  }
}
