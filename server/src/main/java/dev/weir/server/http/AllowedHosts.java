package dev.weir.server.http;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The names by which this Weir may be called.
 *
 * <p>Where no token is asked for, being on loopback is what keeps strangers out. A page of another
 * site gets around it in a browser on this machine: its name is made to resolve to 127.0.0.1, and
 * the browser takes the page for one of ours. The name in {@code Host} is then still the other's.
 */
public final class AllowedHosts {
  /** Every name is its own. */
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
   * Loopback addresses, localhost, and these.
   *
   * @param names without a port; {@code *} for any
   */
  public static AllowedHosts of(List<String> names) {
    if (names.contains(WILDCARD)) {
      return ANY;
    }
    Set<String> own = new TreeSet<>();
    names.forEach(name -> own.add(name.toLowerCase(Locale.ROOT)));
    return new AllowedHosts(own, false);
  }

  /** Returns true if requests to every host are accepted. */
  boolean isAny() {
    return isAny;
  }

  /**
   * Returns true if requests to this host are accepted.
   *
   * @param host as in a request, with or without a port
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
