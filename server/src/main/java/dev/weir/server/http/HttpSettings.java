package dev.weir.server.http;

import dev.weir.engine.rules.TrustedProxies;
import dev.weir.server.oidc.Issuer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.Set;

/**
 * What the endpoints need to know.
 *
 * @param adminToken what an administrator shows; without one and without an issuer, admin endpoints
 *     are open
 * @param issuer whose tokens open endpoints too
 * @param clientKeys what a client shows; if there are none, data endpoints are open
 * @param trustedProxies whose word is taken for where a request comes from
 */
public record HttpSettings(
    Optional<String> adminToken,
    Optional<Issuer> issuer,
    Set<String> clientKeys,
    TrustedProxies trustedProxies) {

  /** Returns true if this is the token of administrators. */
  public boolean isAdmin(String token) {
    return adminToken.filter(own -> same(own, token)).isPresent();
  }

  /** Returns true if this is the key of a client. */
  public boolean isClient(String token) {
    boolean isClient = false;
    for (String key : clientKeys) {
      isClient |= same(key, token);
    }
    return isClient;
  }

  /** Takes as long for a near miss as for a far one. */
  private static boolean same(String one, String other) {
    return MessageDigest.isEqual(
        one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
  }

  /** Does not contain the secrets. */
  @Override
  public String toString() {
    return "HttpSettings[clientKeys=" + clientKeys.size() + "]";
  }
}
