package dev.weir.node.wiring;

import dev.weir.http.connections.Connections;
import dev.weir.http.connections.Draining;
import dev.weir.node.capability.Beans;
import dev.weir.node.lifecycle.Drain;
import dev.weir.node.settings.PortProbe;
import dev.weir.node.settings.ServerSetting;
import io.micronaut.context.ApplicationContext;
import io.micronaut.context.ApplicationContextBuilder;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.server.exceptions.ServerStartupException;
import io.micronaut.runtime.server.EmbeddedServer;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** The web server of the endpoints, listening. */
public final class WebServer implements Drain.Door, AutoCloseable {
  private final ApplicationContext context;
  private final EmbeddedServer server;

  private WebServer(ApplicationContext context, EmbeddedServer server) {
    this.context = context;
    this.server = server;
  }

  /**
   * Starts the web server.
   *
   * @param beans the parts that the endpoints inject, by type
   * @param more additional properties of Micronaut, such as those that disable endpoints
   */
  @SuppressWarnings("unchecked") // Micronaut takes a generic array of classes.
  public static WebServer start(WebSettings settings, Beans beans, Map<String, Object> more) {
    ApplicationContextBuilder builder =
        ApplicationContext.builder()
            .banner(false)
            .deduceEnvironment(false)
            .environmentPropertySource(false)
            .properties(properties(settings, more))
            .eagerInitAnnotated(Controller.class);
    beans.add(settings.allowed()).add(settings.limits()).registerIn(builder);
    ApplicationContext context = builder.build();
    boolean listening = false;
    try {
      context.start();
      EmbeddedServer server = context.getBean(EmbeddedServer.class);
      server.start();
      listening = true;
      return new WebServer(context, server);
    } catch (ServerStartupException e) {
      throw PortProbe.inUse(ServerSetting.PORT, settings.host(), settings.port());
    } finally {
      if (!listening) {
        context.close();
      }
    }
  }

  public URI address() {
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

  private static Map<String, Object> properties(WebSettings settings, Map<String, Object> more) {
    Map<String, Object> properties = new HashMap<>(more);
    properties.put("micronaut.server.host", settings.host());
    properties.put("micronaut.server.port", settings.port() == 0 ? -1 : settings.port());
    properties.put("micronaut.server.idle-timeout", settings.limits().idleTimeout());
    return properties;
  }
}
