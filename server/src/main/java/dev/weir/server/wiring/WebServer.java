package dev.weir.server.wiring;

import dev.weir.server.http.AllowedHosts;
import dev.weir.server.http.Connections;
import dev.weir.server.http.Draining;
import io.micronaut.context.ApplicationContext;
import io.micronaut.context.ApplicationContextBuilder;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.server.exceptions.ServerStartupException;
import io.micronaut.runtime.server.EmbeddedServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;

/** The endpoints, listening. */
final class WebServer implements Drain.Door, AutoCloseable {
  private static final String WEBJAR = "META-INF/maven/org.webjars/swagger-ui/pom.properties";

  private static final Duration LONGEST_DRAINING = Duration.ofHours(1);

  private final ApplicationContext context;
  private final EmbeddedServer server;

  private WebServer(ApplicationContext context, EmbeddedServer server) {
    this.context = context;
    this.server = server;
  }

  /**
   * Starts to listen.
   *
   * @param beans what the endpoints ask for, by type
   * @param more what chooses between endpoints, by property
   */
  @SuppressWarnings("unchecked") // An array of classes, of Micronaut's making.
  static WebServer start(Settings settings, Beans beans, Map<String, Object> more) {
    check(settings);
    ApplicationContextBuilder builder =
        ApplicationContext.builder()
            .banner(false)
            .deduceEnvironment(false)
            .environmentPropertySource(false)
            .properties(properties(settings, more))
            .eagerInitAnnotated(Controller.class);
    beans.add(ownHosts(settings)).registerIn(builder);
    ApplicationContext context = builder.build();
    boolean listening = false;
    try {
      context.start();
      EmbeddedServer server = context.getBean(EmbeddedServer.class);
      server.start();
      listening = true;
      return new WebServer(context, server);
    } catch (ServerStartupException e) {
      throw new InvalidSettingException(
          Setting.PORT.key(),
          "%s on %s cannot be listened on: it is in use or not allowed"
              .formatted(settings.text(Setting.PORT), settings.text(Setting.HOST)));
    } finally {
      if (!listening) {
        context.close();
      }
    }
  }

  /** Reads what it needs of the settings; returns how long a drain may take. */
  static Drain.Patience check(Settings settings) {
    refuseOpenDoor(settings);
    port(settings);
    return new Drain.Patience(
        settings.duration(Setting.DRAIN, Duration.ZERO, LONGEST_DRAINING),
        settings.duration(Setting.DRAIN_NOTICE, Duration.ZERO, LONGEST_DRAINING),
        settings.duration(Setting.DRAIN_IDLE, Duration.ZERO, LONGEST_DRAINING));
  }

  /** On loopback, where something is open without a token, only own names are answered. */
  private static AllowedHosts ownHosts(Settings settings) {
    boolean isAdminOpen =
        settings.optional(Setting.ADMIN_TOKEN).isEmpty()
            && settings.optional(Setting.OIDC_ISSUER).isEmpty();
    boolean isApiOpen = settings.list(Setting.CLIENT_KEYS).isEmpty();
    List<String> names = new ArrayList<>(settings.list(Setting.ALLOWED_HOSTS));
    names.add(settings.text(Setting.HOST));
    return isLoopback(settings.text(Setting.HOST)) && (isAdminOpen || isApiOpen)
        ? AllowedHosts.of(names)
        : AllowedHosts.ANY;
  }

  private static boolean isLoopback(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      throw new InvalidSettingException(Setting.HOST.key(), "is no address: " + host);
    }
  }

  private static int port(Settings settings) {
    return settings.number(Setting.PORT, 0, 65_535);
  }

  URI address() {
    return server.getURI();
  }

  @Override
  public void begin() {
    context.getBean(Draining.class).begin();
  }

  @Override
  public void refuseNewcomers(Duration arrival) throws InterruptedException {
    context.getBean(Connections.class).refuseNewcomers(arrival);
  }

  @Override
  public CompletableFuture<Void> endWhenIdle(Duration idle) {
    return context.getBean(Connections.class).endWhenIdle(idle);
  }

  @Override
  public int count() {
    return context.getBean(Connections.class).count();
  }

  @Override
  public void close() {
    context.close();
  }

  /**
   * Without a token or an issuer of tokens, nobody but this machine may reach the admin endpoints.
   */
  private static void refuseOpenDoor(Settings settings) {
    String host = settings.text(Setting.HOST);
    if (!isLoopback(host)
        && settings.optional(Setting.ADMIN_TOKEN).isEmpty()
        && settings.optional(Setting.OIDC_ISSUER).isEmpty()) {
      throw new InvalidSettingException(
          Setting.HOST.key(),
          "may be " + host + " only if weir.admin-token or weir.oidc.issuer is set");
    }
  }

  private static Map<String, Object> properties(Settings settings, Map<String, Object> more) {
    Map<String, Object> properties = new HashMap<>(more);
    int port = port(settings);
    properties.put("micronaut.server.host", settings.text(Setting.HOST));
    properties.put("micronaut.server.port", port == 0 ? -1 : port);
    properties.put("micronaut.router.static-resources.docs.mapping", "/docs/**");
    properties.put(
        "micronaut.router.static-resources.docs.paths",
        List.of(
            "classpath:docs",
            "classpath:META-INF/resources/webjars/swagger-ui/" + swaggerUiVersion()));
    return properties;
  }

  /** The WebJar keeps its files under its version, and says which that is. */
  private static String swaggerUiVersion() {
    try (InputStream in = WebServer.class.getClassLoader().getResourceAsStream(WEBJAR)) {
      Properties properties = new Properties();
      properties.load(Objects.requireNonNull(in, WEBJAR));
      return Objects.requireNonNull(properties.getProperty("version"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
