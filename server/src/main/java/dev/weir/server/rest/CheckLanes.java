package dev.weir.server.rest;

import dev.weir.server.tracing.Tracing;
import io.micronaut.context.annotation.Requires;
import io.micronaut.core.util.StringUtils;
import jakarta.inject.Singleton;
import java.time.InstantSource;

/**
 * Gives each connection its {@link CheckLane}, where decisions never wait, everybody may ask, and
 * nobody traces.
 */
@Singleton
@Requires(property = Limits.BLOCKING, notEquals = StringUtils.TRUE)
@Requires(missingBeans = Tracing.class)
final class CheckLanes {
  private final Checks checks;
  private final RestSettings settings;
  private final OwnHosts own;
  private final Draining draining;
  private final WebDate date = new WebDate(InstantSource.system());

  CheckLanes(Checks checks, RestSettings settings, OwnHosts own, Draining draining) {
    this.checks = checks;
    this.settings = settings;
    this.own = own;
    this.draining = draining;
  }

  void add(Conversation conversation) {
    if (settings.clientKeys().isEmpty()) {
      conversation.add(
          CheckLane.NAME,
          new CheckLane(checks, date, own, () -> conversation.owesOne() && !draining.begun()));
    }
  }
}
