package dev.weir.server.gateway.node;

import dev.weir.TrustedProxies;
import dev.weir.node.settings.ConnectionSettings;
import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Settings;
import dev.weir.routes.internal.RouteSpec;
import dev.weir.server.gateway.Gateway;
import dev.weir.server.gateway.GatewayEngine;
import dev.weir.server.gateway.GatewaySettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Reads the settings of the gateway and starts it on its stores. */
final class OpenGateway {
  private static final Duration SHORTEST = Duration.ofMillis(10);
  private static final Duration LONGEST = Duration.ofDays(1);
  private static final Duration MAX_CONNECTING = Duration.ofMinutes(5);

  private static final int MAX_RATE = 1 << 20;

  private OpenGateway() {}

  /** Returns the settings of the gateway; empty if it is disabled. */
  static Optional<GatewaySettings> settings(Settings settings, TrustedProxies proxies) {
    settings.flag(ServerSetting.GATEWAY_ACCESS_LOG);
    GatewaySettings.Times times =
        new GatewaySettings.Times(
            settings.duration(GatewaySetting.HEAD_TIMEOUT, SHORTEST, LONGEST),
            settings.duration(GatewaySetting.IDLE_TIMEOUT, SHORTEST, LONGEST),
            settings.duration(GatewaySetting.CONNECT_TIMEOUT, SHORTEST, MAX_CONNECTING),
            settings.duration(GatewaySetting.ANSWER_TIMEOUT, SHORTEST, LONGEST),
            settings.duration(GatewaySetting.UPSTREAM_IDLE, Duration.ZERO, LONGEST));
    GatewaySettings.Bounds bounds =
        new GatewaySettings.Bounds(
            settings.number(GatewaySetting.MAX_HEADER, 1_024, 1 << 20),
            settings.number(GatewaySetting.MAX_TARGET, 128, 1 << 16),
            settings.number(GatewaySetting.MIN_RATE, 0, MAX_RATE),
            ConnectionSettings.of(
                settings,
                GatewaySetting.MAX_CONNECTIONS,
                GatewaySetting.MAX_CONNECTIONS_PER_ADDRESS,
                proxies),
            settings.number(GatewaySetting.MAX_UPSTREAM_CONNECTIONS, 1, 60_000));
    if (settings.optional(GatewaySetting.PORT).isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new GatewaySettings(
            settings.text(GatewaySetting.HOST),
            settings.number(GatewaySetting.PORT, 0, 65_535),
            times,
            bounds,
            settings.optional(GatewaySetting.TRUST).map(Path::of)));
  }

  /** Returns the routes in the settings. */
  static List<RouteSpec> routes(Settings settings) {
    return settings.list(GatewaySetting.ROUTES).stream().map(OpenGateway::route).toList();
  }

  private static RouteSpec route(String text) {
    int equals = text.indexOf('=');
    if (equals < 0) {
      throw new InvalidSettingException(
          GatewaySetting.ROUTES.key(),
          "must be such as /api/** = http://127.0.0.1:9000, separated by commas");
    }
    try {
      return RouteSpec.of(text.substring(0, equals).strip(), text.substring(equals + 1).strip());
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException(
          GatewaySetting.ROUTES.key(),
          "has a route for %s that cannot be used: it %s"
              .formatted(text.substring(0, equals).strip(), e.getMessage()));
    }
  }

  /** Starts the gateway. */
  static Gateway start(GatewaySettings gateway, GatewayEngine engine) {
    try {
      return Gateway.start(gateway, engine);
    } catch (IOException e) {
      throw new InvalidSettingException(
          GatewaySetting.PORT.key(),
          "%d on %s %s".formatted(gateway.port(), gateway.host(), e.getMessage()));
    }
  }
}
