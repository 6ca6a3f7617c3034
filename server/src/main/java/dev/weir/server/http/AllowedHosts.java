package dev.weir.server.http;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The host names under which this node accepts requests.
 *
 * <p>Without a token, only the loopback interface protects this node. A page of another site can
 * bypass that from a browser on the same machine: its name is made to resolve to 127.0.0.1 (DNS
 * rebinding), and the browser treats this node as the page's own origin. The {@code Host} header
 * still contains the name of the other site.
 */
public final class AllowedHosts {
  /** Accepts every host name. */
  public static final AllowedHosts ANY = new AllowedHosts(Set.of(), true);

  private static final String WILDCARD = "*";
  private static final Pattern LOOPBACK = Pattern.compile("127(\\.\\d{1,3}){3}|\\[::1]|localhost");
  private static final Pattern PORT = Pattern.compile("(:\\d{1,5})?");

  private final Set<String> names;
  private final boolean isAny;

  private AllowedHosts(Set<String> names, boolean isAny) {
    this.names = names;
    this.isAny = isAny;
  }

  /**
   * Returns the loopback addresses, {@code localhost} and the given names.
   *
   * @param names names without a port; {@code *} accepts any
   */
  public static AllowedHosts of(List<String> names) {
    if (names.contains(WILDCARD)) {
      return ANY;
    }
    Set<String> own = new TreeSet<>();
    names.forEach(name -> own.add(name.toLowerCase(Locale.ROOT)));
    return new AllowedHosts(own, false);
  }

  /** Returns true if every host name is accepted. */
  boolean isAny() {
    return isAny;
  }

  /**
   * Returns true if requests to this host are accepted.
   *
   * @param host a host name as in a request, with or without a port
   */
  public boolean isOwn(String host) {
    if (isAny) {
      return true;
    }
    int end = host.startsWith("[") ? host.indexOf(']') + 1 : host.indexOf(':');
    String name = (end <= 0 ? host : host.substring(0, end)).toLowerCase(Locale.ROOT);
    return PORT.matcher(host.substring(name.length())).matches()
        && (LOOPBACK.matcher(name).matches() || names.contains(name));
  }
}
