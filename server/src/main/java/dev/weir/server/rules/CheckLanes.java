package dev.weir.server.rules;

import dev.weir.server.http.AllowedHosts;
import dev.weir.server.http.ConnectionExtension;
import dev.weir.server.http.DateHeader;
import dev.weir.server.http.Draining;
import dev.weir.server.http.HttpConnection;
import dev.weir.server.http.HttpSettings;
import dev.weir.server.tracing.Tracing;
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
