package dev.weir.server.operations.node;

import dev.weir.node.capability.Capability;
import dev.weir.node.capability.OpeningNode;
import dev.weir.node.settings.Setting;
import dev.weir.node.settings.Settings;
import dev.weir.server.operations.SecondMetricsEndpoint;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Health, metrics and the documentation of the API, as a capability of the server. */
public final class OperationsCapability implements Capability {
  private static final String WEBJAR = "META-INF/maven/org.webjars/swagger-ui/pom.properties";
  private static final String SEGMENT = "[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}";
  private static final Pattern PATH = Pattern.compile("/(%1$s)(?:/%1$s){0,9}".formatted(SEGMENT));

  /** What paths of this port begin with. */
  private static final Set<String> OWN =
      Set.of("admin", "api", "docs", "health", "metrics", "openapi.yaml", "ui");

  @Override
  public int order() {
    return 90;
  }

  @Override
  public List<Setting> settings() {
    return List.of(OperationsSetting.values());
  }

  @Override
  public Configured configure(Settings settings) {
    String alsoAt =
        settings.text(OperationsSetting.METRICS_ALSO_AT, OperationsCapability::wrongWithPath);
    return node -> open(node, alsoAt);
  }

  /** Returns what is wrong with a second path of the metrics; empty if it is valid or not given. */
  private static Optional<String> wrongWithPath(String path) {
    if (path.isEmpty()) {
      return Optional.empty();
    }
    Matcher segments = PATH.matcher(path);
    if (!segments.matches()) {
      return Optional.of(
          "must be a path such as /q/metrics, of letters, digits, hyphens, underscores and dots");
    }
    return OWN.contains(segments.group(1))
        ? Optional.of("must not begin with /" + segments.group(1) + ", which has a use")
        : Optional.empty();
  }

  private static void open(OpeningNode node, String metricsAlsoAt) {
    if (!metricsAlsoAt.isEmpty()) {
      node.property(SecondMetricsEndpoint.PATH, metricsAlsoAt);
    }
    node.property("micronaut.router.static-resources.docs.mapping", "/docs/**");
    node.property(
        "micronaut.router.static-resources.docs.paths",
        List.of(
            "classpath:docs",
            "classpath:META-INF/resources/webjars/swagger-ui/" + swaggerUiVersion()));
  }

  /** Returns the version of the WebJar, which is part of the path of its files. */
  private static String swaggerUiVersion() {
    try (InputStream in = OperationsCapability.class.getClassLoader().getResourceAsStream(WEBJAR)) {
      Properties properties = new Properties();
      properties.load(Objects.requireNonNull(in, WEBJAR));
      return Objects.requireNonNull(properties.getProperty("version"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
