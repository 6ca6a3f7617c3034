package dev.weir.server.wiring;

import dev.weir.server.http.AllowedHosts;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The settings of the web server.
 *
 * @param allowed the accepted values of the Host header
 * @param patience how long draining may take, for every port
 */
record WebSettings(String host, int port, AllowedHosts allowed, Drain.Patience patience) {
  private static final Duration MAX_DRAINING = Duration.ofHours(1);

  static WebSettings of(Settings settings) {
    String host = settings.text(Setting.HOST);
    refuseOpenDoor(settings, host);
    return new WebSettings(
        host,
        settings.number(Setting.PORT, 0, 65_535),
        allowedHosts(settings, host),
        new Drain.Patience(
            settings.duration(Setting.DRAIN, Duration.ZERO, MAX_DRAINING),
            settings.duration(Setting.DRAIN_NOTICE, Duration.ZERO, MAX_DRAINING),
            settings.duration(Setting.DRAIN_IDLE, Duration.ZERO, MAX_DRAINING)));
  }

  /**
   * Rejects a host other than loopback if there is neither an admin token nor an issuer of tokens.
   */
  private static void refuseOpenDoor(Settings settings, String host) {
    if (!isLoopback(host) && isAdminOpen(settings)) {
      throw new InvalidSettingException(
          Setting.HOST.key(),
          "may be " + host + " only if weir.admin-token or weir.oidc.issuer is set");
    }
  }

  /**
   * Returns the accepted hosts: on loopback, if any part is open without a token, only own names.
   */
  private static AllowedHosts allowedHosts(Settings settings, String host) {
    boolean isApiOpen = settings.list(Setting.CLIENT_KEYS).isEmpty();
    if (!isLoopback(host) || !(isAdminOpen(settings) || isApiOpen)) {
      return AllowedHosts.ANY;
    }
    List<String> names = new ArrayList<>(settings.list(Setting.ALLOWED_HOSTS));
    names.add(host);
    return AllowedHosts.of(names);
  }

  private static boolean isAdminOpen(Settings settings) {
    return settings.optional(Setting.ADMIN_TOKEN).isEmpty()
        && settings.optional(Setting.OIDC_ISSUER).isEmpty();
  }

  private static boolean isLoopback(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      throw new InvalidSettingException(Setting.HOST.key(), "is no address: " + host);
    }
  }
}
