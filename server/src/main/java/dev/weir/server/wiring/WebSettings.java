package dev.weir.server.wiring;

import dev.weir.TrustedProxies;
import dev.weir.server.http.AllowedHosts;
import dev.weir.server.http.Exposure;
import dev.weir.server.http.ListenerSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The settings of the web server.
 *
 * @param exposure who can reach the server
 * @param limits the limits for its clients
 * @param allowed the accepted values of the Host header
 * @param patience how long draining may take, for every port
 */
record WebSettings(
    String host,
    int port,
    Exposure exposure,
    ListenerSettings limits,
    AllowedHosts allowed,
    Drain.Patience patience) {
  private static final Duration MAX_DRAINING = Duration.ofHours(1);
  private static final Duration MIN_TIMEOUT = Duration.ofSeconds(1);
  private static final Duration MAX_TIMEOUT = Duration.ofDays(1);
  private static final int MAX_RATE = 1 << 20;

  static WebSettings of(Settings settings, TrustedProxies proxies) {
    String host = settings.text(Setting.HOST);
    Exposure exposure = ListenAddress.of(settings, Setting.HOST).exposure();
    refuseOpenAdministration(settings, host, exposure);
    return new WebSettings(
        host,
        settings.number(Setting.PORT, 0, 65_535),
        exposure,
        new ListenerSettings(
            settings.duration(Setting.HTTP_HEAD_TIMEOUT, MIN_TIMEOUT, MAX_TIMEOUT),
            settings.duration(Setting.HTTP_IDLE_TIMEOUT, MIN_TIMEOUT, MAX_TIMEOUT),
            settings.number(Setting.HTTP_MIN_RATE, 0, MAX_RATE),
            ConnectionSettings.of(
                settings,
                Setting.HTTP_MAX_CONNECTIONS,
                Setting.HTTP_MAX_CONNECTIONS_PER_ADDRESS,
                proxies)),
        allowedHosts(settings, host, exposure),
        new Drain.Patience(
            settings.duration(Setting.DRAIN, Duration.ZERO, MAX_DRAINING),
            settings.duration(Setting.DRAIN_NOTICE, Duration.ZERO, MAX_DRAINING),
            settings.duration(Setting.DRAIN_IDLE, Duration.ZERO, MAX_DRAINING)));
  }

  /**
   * Rejects a host other than loopback if there is neither an admin token nor an issuer of tokens.
   */
  private static void refuseOpenAdministration(Settings settings, String host, Exposure exposure) {
    if (exposure != Exposure.LOOPBACK
        && settings.optional(Setting.ADMIN_TOKEN).isEmpty()
        && settings.optional(Setting.OIDC_ISSUER).isEmpty()) {
      throw new InvalidSettingException(
          Setting.HOST.key(),
          "may be " + host + " only if weir.admin-token or weir.oidc.issuer is set");
    }
  }

  /** Returns the accepted hosts. They are checked where no token is needed. */
  private static AllowedHosts allowedHosts(Settings settings, String host, Exposure exposure) {
    List<String> names = new ArrayList<>(settings.list(Setting.ALLOWED_HOSTS));
    names.add(host);
    return exposure == Exposure.LOOPBACK
        ? AllowedHosts.ofLoopback(names)
        : AllowedHosts.ofNetwork(names);
  }
}
