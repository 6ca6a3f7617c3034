package dev.weir.node.settings;

import dev.weir.http.oidc.Issuer;
import dev.weir.http.oidc.RoleClaim;
import dev.weir.http.oidc.SafeAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.Optional;

/** Reads the settings of an OpenID Connect issuer. */
public final class OidcSettings {
  private static final Duration MIN_MAX_WAIT = Duration.ofMillis(100);
  private static final Duration MAX_MAX_WAIT = Duration.ofMinutes(1);

  private OidcSettings() {}

  /** Returns the issuer, if one is set. It need not be reachable yet. */
  public static Optional<Issuer> issuer(Settings settings) {
    Optional<String> audience = settings.optional(ServerSetting.OIDC_AUDIENCE);
    Optional<String> address = settings.optional(ServerSetting.OIDC_ISSUER);
    if (address.isEmpty() && audience.isPresent()) {
      throw new InvalidSettingException(
          ServerSetting.OIDC_AUDIENCE.key(), "says nothing without weir.oidc.issuer");
    }
    if (address.isPresent() && audience.isEmpty()) {
      // Otherwise a token issued for another service would be accepted here.
      throw new InvalidSettingException(
          ServerSetting.OIDC_AUDIENCE.key(), "is needed where weir.oidc.issuer is set");
    }
    return address.map(
        text ->
            new Issuer(
                checked(text),
                audience.orElseThrow(),
                roleClaim(settings),
                settings.text(ServerSetting.OIDC_ADMIN_ROLE),
                settings.duration(ServerSetting.OIDC_TIMEOUT, MIN_MAX_WAIT, MAX_MAX_WAIT)));
  }

  private static RoleClaim roleClaim(Settings settings) {
    try {
      return RoleClaim.of(settings.text(ServerSetting.OIDC_ROLE_CLAIM));
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException(
          ServerSetting.OIDC_ROLE_CLAIM.key(), String.valueOf(e.getMessage()));
    }
  }

  private static String checked(String address) {
    try {
      URI uri = new URI(address);
      if (SafeAddress.isSafe(uri)
          && uri.getUserInfo() == null
          && uri.getQuery() == null
          && uri.getFragment() == null) {
        return address;
      }
    } catch (URISyntaxException e) {
      throw new InvalidSettingException(ServerSetting.OIDC_ISSUER.key(), "is no address");
    }
    throw new InvalidSettingException(
        ServerSetting.OIDC_ISSUER.key(),
        "must be an https address such as https://login.example.com/realms/one"
            + " (http only on loopback)");
  }
}
