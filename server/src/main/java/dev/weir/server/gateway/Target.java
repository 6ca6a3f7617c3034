package dev.weir.server.gateway;

import dev.weir.rules.matching.AmbiguousPathException;
import dev.weir.rules.matching.RequestPath;
import io.netty.util.NetUtil;

/**
 * The target of a request, parsed once so that rules, routes and the upstream see the same.
 *
 * @param query the query with its question mark, or empty
 * @param authority the host of an absolute target, or empty
 */
record Target(RequestPath path, String query, String authority) {
  private static final String AUTHORITY = "://";
  private static final String SERVER = "*";
  private static final int MAX_PORT = 65_535;
  private static final int MAX_PORT_DIGITS = 5;

  /**
   * Parses the target of a request.
   *
   * @throws AmbiguousPathException if it can be read in two ways
   */
  static Target of(String text) {
    if (text.indexOf('#') >= 0) {
      throw new AmbiguousPathException("has a #");
    }
    int question = text.indexOf('?');
    String query = question < 0 ? "" : text.substring(question);
    if (question == 1 && text.startsWith(SERVER)) {
      throw new AmbiguousPathException("has a query, but is *");
    }
    for (int i = 0; i < query.length(); i++) {
      if (query.charAt(i) <= ' ' || query.charAt(i) >= 0x7F) {
        throw new AmbiguousPathException("has a character that is not allowed in a query");
      }
    }
    return new Target(
        RequestPath.of(text), query, authority(question < 0 ? text : text.substring(0, question)));
  }

  private static String authority(String address) {
    int begin = address.indexOf(AUTHORITY);
    if (address.startsWith("/") || begin < 0) {
      return "";
    }
    int end = address.indexOf('/', begin + AUTHORITY.length());
    String authority =
        address.substring(begin + AUTHORITY.length(), end < 0 ? address.length() : end);
    if (authority.isEmpty()) {
      throw new AmbiguousPathException("follows an empty host");
    }
    return authority;
  }

  /** Returns true if the target is {@code *}, the server as a whole. */
  boolean isServerWide() {
    return path.text().equals(SERVER);
  }

  /** Returns the target to send to the upstream. */
  String sent() {
    return path.text() + query;
  }

  /** Returns true if the text is a valid host: a name or an address, optionally with a port. */
  static boolean isHost(String text) {
    int end = text.startsWith("[") ? text.indexOf(']') + 1 : text.indexOf(':');
    int hostEnd = end < 0 ? text.length() : end;
    boolean isHost =
        text.startsWith("[")
            ? hostEnd > 0 && isAddress(text.substring(1, hostEnd - 1))
            : isName(text, hostEnd);
    return isHost && (hostEnd == text.length() || isPort(text, hostEnd));
  }

  private static boolean isAddress(String text) {
    return text.indexOf('%') < 0 && NetUtil.isValidIpV6Address(text);
  }

  private static boolean isName(String text, int end) {
    for (int i = 0; i < end; i++) {
      char c = text.charAt(i);
      if (!(c >= 'a' && c <= 'z')
          && !(c >= 'A' && c <= 'Z')
          && !(c >= '0' && c <= '9')
          && ".-_~".indexOf(c) < 0) {
        return false;
      }
    }
    return end > 0;
  }

  /** Returns true if the text from {@code begin} on is a colon and a valid port. */
  private static boolean isPort(String text, int begin) {
    int digits = text.length() - begin - 1;
    if (text.charAt(begin) != ':' || digits < 1 || digits > MAX_PORT_DIGITS) {
      return false;
    }
    int port = 0;
    for (int i = begin + 1; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < '0' || c > '9') {
        return false;
      }
      port = port * 10 + (c - '0');
    }
    return port <= MAX_PORT;
  }
}
