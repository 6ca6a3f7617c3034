package dev.weir.server.oidc;

import java.net.URI;
import java.util.Set;

/** Where keys may be read from: by TLS, or from this machine. Others could slip theirs in. */
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
