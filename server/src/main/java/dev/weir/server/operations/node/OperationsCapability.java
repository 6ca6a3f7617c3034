package dev.weir.server.operations.node;

import dev.weir.node.capability.Capability;
import dev.weir.node.capability.OpeningNode;
import dev.weir.node.settings.Settings;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import java.util.Properties;

/** Health, metrics and the documentation of the API, as a capability of the server. */
public final class OperationsCapability implements Capability {
  private static final String WEBJAR = "META-INF/maven/org.webjars/swagger-ui/pom.properties";

  @Override
  public int order() {
    return 90;
  }

  @Override
  public Configured configure(Settings settings) {
    return OperationsCapability::open;
  }

  private static void open(OpeningNode node) {
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
