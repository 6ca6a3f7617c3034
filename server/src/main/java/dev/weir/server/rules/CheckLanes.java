package dev.weir.server.rules;

import dev.weir.http.authentication.AllowedHosts;
import dev.weir.http.authentication.HttpSettings;
import dev.weir.http.connections.ConnectionExtension;
import dev.weir.http.connections.DateHeader;
import dev.weir.http.connections.Draining;
import dev.weir.http.connections.HttpConnection;
import dev.weir.node.tracing.Tracing;
import io.micronaut.context.annotation.Requires;
import io.micronaut.core.util.StringUtils;
import jakarta.inject.Singleton;
import java.time.InstantSource;

/**
 * Adds a {@link CheckLane} to each connection if decisions never block, clients need no credential
 * and tracing is off.
 */
@Singleton
@Requires(property = CheckSettings.BLOCKING, notEquals = StringUtils.TRUE)
@Requires(missingBeans = Tracing.class)
final class CheckLanes implements ConnectionExtension {
  private final Checks checks;
  private final HttpSettings settings;
  private final AllowedHosts own;
  private final Draining draining;
  private final DateHeader date = new DateHeader(InstantSource.system());

  CheckLanes(Checks checks, HttpSettings settings, AllowedHosts own, Draining draining) {
    this.checks = checks;
    this.settings = settings;
    this.own = own;
    this.draining = draining;
  }

  @Override
  public void extend(HttpConnection connection) {
    if (settings.isOpenToClients()) {
      connection.add(
          CheckLane.NAME,
          new CheckLane(checks, date, own, () -> connection.owesOne() && !draining.begun()));
    }
  }
}
