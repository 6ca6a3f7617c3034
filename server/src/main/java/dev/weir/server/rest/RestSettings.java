package dev.weir.server.rest;

import dev.weir.engine.rules.TrustedProxies;
import dev.weir.server.oidc.Issuer;
import java.util.Optional;
import java.util.Set;

/**
 * What the endpoints need to know.
 *
 * @param defaultConfig the configuration of a request that names none
 * @param adminToken what an administrator shows; without one and without an issuer, admin endpoints
 *     are open
 * @param issuer whose tokens open endpoints too
 * @param clientKeys what a client shows; if there are none, data endpoints are open
 * @param trustedProxies whose word is taken for where a request comes from
 */
public record RestSettings(
    String defaultConfig,
    Optional<String> adminToken,
    Optional<Issuer> issuer,
    Set<String> clientKeys,
    TrustedProxies trustedProxies) {

  /** Says nothing of its secrets. */
  @Override
  public String toString() {
    return "RestSettings[defaultConfig=" + defaultConfig + "]";
  }
}
