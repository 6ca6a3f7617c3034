package dev.weir.server.http;

import dev.weir.TrustedProxies;
import dev.weir.server.oidc.Issuer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.Set;

/**
 * Settings of the HTTP endpoints.
 *
 * @param exposure who can reach the listener of the endpoints
 * @param adminToken the token of administrators; without it and without an issuer, admin endpoints
 *     are open on loopback
 * @param issuer an issuer whose tokens are accepted too
 * @param clientKeys the keys of clients; if empty, data endpoints are open on loopback
 * @param trustedProxies the proxies that are trusted to name the address of a client
 */
public record HttpSettings(
    Exposure exposure,
    Optional<String> adminToken,
    Optional<Issuer> issuer,
    Set<String> clientKeys,
    TrustedProxies trustedProxies) {

  /** Returns true if endpoints with this role need no credential. */
  boolean isOpen(RequiresRole.Role role) {
    return switch (role) {
      case ADMIN -> adminToken.isEmpty() && issuer.isEmpty() && exposure == Exposure.LOOPBACK;
      case CLIENT -> isOpenToClients();
      case OBSERVER -> isOpenToObservers();
    };
  }

  /** Returns true if clients need no credential. */
  public boolean isOpenToClients() {
    return clientKeys.isEmpty() && exposure != Exposure.NETWORK;
  }

  /** Returns true if metrics can be read without a credential. */
  public boolean isOpenToObservers() {
    return exposure != Exposure.NETWORK;
  }

  /** Returns the same settings for a listener with another exposure. */
  public HttpSettings at(Exposure other) {
    return new HttpSettings(other, adminToken, issuer, clientKeys, trustedProxies);
  }

  /** Returns true if this is the admin token or a client key. */
  public boolean isAccepted(String token) {
    // Both are compared, so that the time does not tell which one it was.
    boolean isAdmin = isAdmin(token);
    return isClient(token) || isAdmin;
  }

  /** Returns true if this is the admin token. */
  public boolean isAdmin(String token) {
    return adminToken.filter(own -> same(own, token)).isPresent();
  }

  /** Returns true if this is a client key. */
  public boolean isClient(String token) {
    boolean isClient = false;
    for (String key : clientKeys) {
      isClient |= same(key, token);
    }
    return isClient;
  }

  /** Compares in constant time. */
  private static boolean same(String one, String other) {
    return MessageDigest.isEqual(
        one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns a description without the secrets. */
  @Override
  public String toString() {
    return "HttpSettings[clientKeys=" + clientKeys.size() + "]";
  }
}
