package dev.weir.node.wiring;

import dev.weir.TrustedProxies;
import dev.weir.http.authentication.AllowedHosts;
import dev.weir.http.authentication.Exposure;
import dev.weir.http.connections.ListenerSettings;
import dev.weir.node.lifecycle.Drain;
import dev.weir.node.settings.ConnectionSettings;
import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.settings.ListenAddress;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Settings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The settings of the web server.
 *
 * @param exposure who can reach the server
 * @param limits the limits for its clients
 * @param allowed the accepted values of the Host header
 * @param drainTimes how long draining may take, for every port
 */
public record WebSettings(
    String host,
    int port,
    Exposure exposure,
    ListenerSettings limits,
    AllowedHosts allowed,
    Drain.Times drainTimes) {
  private static final Duration MIN_TIMEOUT = Duration.ofSeconds(1);
  private static final Duration MAX_TIMEOUT = Duration.ofDays(1);
  private static final int MAX_RATE = 1 << 20;

  public static WebSettings of(Settings settings, TrustedProxies proxies) {
    String host = settings.text(ServerSetting.HOST);
    Exposure exposure = ListenAddress.of(settings, ServerSetting.HOST).exposure();
    refuseOpenAdministration(settings, host, exposure);
    return new WebSettings(
        host,
        settings.number(ServerSetting.PORT, 0, 65_535),
        exposure,
        new ListenerSettings(
            settings.duration(ServerSetting.HTTP_HEAD_TIMEOUT, MIN_TIMEOUT, MAX_TIMEOUT),
            settings.duration(ServerSetting.HTTP_IDLE_TIMEOUT, MIN_TIMEOUT, MAX_TIMEOUT),
            settings.number(ServerSetting.HTTP_MIN_RATE, 0, MAX_RATE),
            ConnectionSettings.of(
                settings,
                ServerSetting.HTTP_MAX_CONNECTIONS,
                ServerSetting.HTTP_MAX_CONNECTIONS_PER_ADDRESS,
                proxies)),
        allowedHosts(settings, host, exposure),
        Drain.Times.of(settings));
  }

  /**
   * Rejects a host other than loopback if there is neither an admin token nor an issuer of tokens.
   */
  private static void refuseOpenAdministration(Settings settings, String host, Exposure exposure) {
    if (exposure != Exposure.LOOPBACK
        && settings.optional(ServerSetting.ADMIN_TOKEN).isEmpty()
        && settings.optional(ServerSetting.OIDC_ISSUER).isEmpty()) {
      throw new InvalidSettingException(
          ServerSetting.HOST.key(),
          "may be " + host + " only if weir.admin-token or weir.oidc.issuer is set");
    }
  }

  /** Returns the accepted hosts. They are checked where no token is needed. */
  private static AllowedHosts allowedHosts(Settings settings, String host, Exposure exposure) {
    List<String> names = new ArrayList<>(settings.list(ServerSetting.ALLOWED_HOSTS));
    names.add(host);
    return exposure == Exposure.LOOPBACK
        ? AllowedHosts.ofLoopback(names)
        : AllowedHosts.ofNetwork(names);
  }
}
