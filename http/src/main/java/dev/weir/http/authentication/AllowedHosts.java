package dev.weir.http.authentication;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The host names under which this node accepts requests.
 *
 * <p>Without a token, only the network protects this node. A page of another site can bypass that
 * from a browser that reaches the node: its name is made to resolve to the address of the node (DNS
 * rebinding), and the browser treats this node as the page's own origin. The {@code Host} header
 * still contains the name of the other site.
 */
public final class AllowedHosts {
  /** Accepts every host name. */
  public static final AllowedHosts ANY = new AllowedHosts(Set.of(), false, true);

  private static final String WILDCARD = "*";
  private static final Pattern LOOPBACK = Pattern.compile("127(\\.\\d{1,3}){3}|\\[::1]|localhost");

  /** Addresses are no names, so they cannot be made to resolve to another address. */
  private static final Pattern ADDRESS =
      Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}|\\[[0-9a-f:.]{2,45}]");

  private static final Pattern PORT = Pattern.compile("(:\\d{1,5})?");

  private final Set<String> names;
  private final boolean hasAddresses;
  private final boolean isAny;

  private AllowedHosts(Set<String> names, boolean hasAddresses, boolean isAny) {
    this.names = names;
    this.hasAddresses = hasAddresses;
    this.isAny = isAny;
  }

  /**
   * Returns the loopback addresses, {@code localhost} and the given names.
   *
   * @param names names without a port; {@code *} accepts any
   */
  public static AllowedHosts ofLoopback(List<String> names) {
    return of(names, false);
  }

  /**
   * Returns all addresses, {@code localhost} and the given names, for a node that other machines
   * reach: it does not know all of its addresses.
   *
   * @param names names without a port; {@code *} accepts any
   */
  public static AllowedHosts ofNetwork(List<String> names) {
    return of(names, true);
  }

  private static AllowedHosts of(List<String> names, boolean hasAddresses) {
    if (names.contains(WILDCARD)) {
      return ANY;
    }
    Set<String> own = new TreeSet<>();
    names.forEach(name -> own.add(name.toLowerCase(Locale.ROOT)));
    return new AllowedHosts(own, hasAddresses, false);
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
        && (LOOPBACK.matcher(name).matches()
            || (hasAddresses && ADDRESS.matcher(name).matches())
            || names.contains(name));
  }
}
