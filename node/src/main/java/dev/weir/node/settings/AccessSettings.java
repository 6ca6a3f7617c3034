package dev.weir.node.settings;

import dev.weir.TrustedProxies;
import dev.weir.http.authentication.Exposure;
import dev.weir.http.authentication.HttpSettings;

/** Reads who may call. */
public final class AccessSettings {
  private AccessSettings() {}

  /** Returns the credentials that a listener with this exposure accepts. */
  public static HttpSettings http(Settings settings, Exposure exposure) {
    return new HttpSettings(
        exposure,
        settings.secret(ServerSetting.ADMIN_TOKEN),
        OidcSettings.issuer(settings),
        settings.secrets(ServerSetting.CLIENT_KEYS),
        trustedProxies(settings));
  }

  /** Returns the proxies that are trusted to name the address of a client. */
  public static TrustedProxies trustedProxies(Settings settings) {
    try {
      return TrustedProxies.of(settings.list(ServerSetting.TRUSTED_PROXIES));
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException(
          ServerSetting.TRUSTED_PROXIES.key(), String.valueOf(e.getMessage()));
    }
  }
}
