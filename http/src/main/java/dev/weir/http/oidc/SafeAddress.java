package dev.weir.http.oidc;

import java.net.URI;
import java.util.Set;

/**
 * Decides which addresses keys may be read from: over TLS, or from this machine. Over any other
 * connection an attacker could inject keys.
 */
public final class SafeAddress {
  private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

  private SafeAddress() {}

  public static boolean isSafe(URI uri) {
    if (uri.getHost() == null || uri.getScheme() == null) {
      return false;
    }
    return uri.getScheme().equals("https")
        || (uri.getScheme().equals("http") && LOOPBACK.contains(uri.getHost()));
  }
}
