package dev.weir.server.wiring;

import dev.weir.TrustedProxies;
import dev.weir.routes.internal.RouteSpec;
import dev.weir.server.gateway.GatewaySettings;
import dev.weir.server.http.Exposure;
import dev.weir.server.http.HttpSettings;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * All settings of a node as validated values. Reading them opens nothing, so an invalid setting is
 * reported before PostgreSQL starts.
 *
 * @param database empty if everything is kept in memory
 * @param routes the routes of the gateway in the settings
 */
record NodeSettings(
    WebSettings web,
    HttpSettings http,
    Optional<DatabaseSettings> database,
    SlotSettings slots,
    LimitSettings limits,
    NotificationSettings notifications,
    PaymentSettings payments,
    List<RouteSpec> routes,
    Optional<GatewaySettings> gateway,
    Optional<EnvoyPort.Address> envoy,
    Optional<TracingSettings> tracing) {

  /**
   * Where spans are sent.
   *
   * @param percent percentage of requests to sample, of those without a sampling decision
   */
  record TracingSettings(URI collector, int percent) {}

  static NodeSettings of(Settings settings) {
    TrustedProxies proxies = trustedProxies(settings);
    WebSettings web = WebSettings.of(settings, proxies);
    int percent = settings.number(Setting.TRACING_PERCENT, 0, 100);
    return new NodeSettings(
        web,
        http(settings, web.exposure()),
        DatabaseSettings.of(settings),
        SlotSettings.of(settings),
        LimitSettings.of(settings),
        NotificationSettings.of(settings),
        PaymentSettings.of(settings),
        GatewayParts.routes(settings),
        GatewayParts.settings(settings, proxies),
        EnvoyPort.address(settings, proxies, web.patience()),
        settings
            .webAddress(Setting.TRACING_ENDPOINT)
            .map(collector -> new TracingSettings(collector, percent)));
  }

  /** Returns the ports to listen on, with the settings that name them. */
  List<PortProbe.Listener> listeners() {
    List<PortProbe.Listener> listeners = new ArrayList<>();
    listeners.add(new PortProbe.Listener(Setting.PORT, web.host(), web.port()));
    envoy.ifPresent(
        address ->
            listeners.add(
                new PortProbe.Listener(
                    Setting.GRPC_PORT,
                    address.socket().getHostString(),
                    address.socket().getPort())));
    gateway.ifPresent(
        listening ->
            listeners.add(
                new PortProbe.Listener(Setting.GATEWAY_PORT, listening.host(), listening.port())));
    return listeners;
  }

  /** Returns the credentials that a listener with this exposure accepts. */
  static HttpSettings http(Settings settings, Exposure exposure) {
    return new HttpSettings(
        exposure,
        settings.secret(Setting.ADMIN_TOKEN),
        OidcSettings.issuer(settings),
        settings.secrets(Setting.CLIENT_KEYS),
        trustedProxies(settings));
  }

  private static TrustedProxies trustedProxies(Settings settings) {
    try {
      return TrustedProxies.of(settings.list(Setting.TRUSTED_PROXIES));
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException(
          Setting.TRUSTED_PROXIES.key(), String.valueOf(e.getMessage()));
    }
  }
}
