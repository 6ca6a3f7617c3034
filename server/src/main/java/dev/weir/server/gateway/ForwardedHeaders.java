package dev.weir.server.gateway;

import dev.weir.TrustedProxies;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.util.AsciiString;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Rewrites request headers on the way from one client to an upstream: removes what must not be
 * forwarded, and adds the forwarding headers.
 *
 * <p>Headers that describe the origin of a request are passed on only if the client is a trusted
 * proxy. For every other client the gateway sets them itself.
 */
final class ForwardedHeaders {
  static final AsciiString REQUEST_ID = AsciiString.cached("x-request-id");
  static final String VIA = "1.1 weir";

  private static final AsciiString FORWARDED = AsciiString.cached("forwarded");
  private static final AsciiString FORWARDED_FOR = AsciiString.cached("x-forwarded-for");
  private static final AsciiString FORWARDED_PROTO = AsciiString.cached("x-forwarded-proto");
  private static final AsciiString FORWARDED_HOST = AsciiString.cached("x-forwarded-host");
  private static final AsciiString KEEP_ALIVE = AsciiString.cached("keep-alive");
  private static final AsciiString PROXY_CONNECTION = AsciiString.cached("proxy-connection");

  /** Prefixes of headers that only proxies may set: x-forwarded-proto and so on. */
  private static final List<String> FAMILIES_OF_PROXIES = List.of("x-forwarded", "x-original-");

  /** Further headers that only proxies may set. */
  private static final Set<String> ONLY_FROM_PROXIES =
      Set.of(
          "forwarded",
          "x-real-ip",
          "x-client-ip",
          "x-cluster-client-ip",
          "x-remote-ip",
          "x-remote-addr",
          "true-client-ip",
          "x-scheme",
          "x-url-scheme",
          "front-end-https",
          "x-request-id",
          // Some frameworks use it as the path instead of the request line.
          "x-rewrite-url");

  /** Framing headers that no client may send spelled with an underscore, trusted or not. */
  private static final Set<String> FRAMING = Set.of("transfer-encoding", "content-length");

  /** Headers that a client cannot remove by naming them in Connection. */
  private static final Set<String> NEEDED = Set.of("host", "content-length", "transfer-encoding");

  private static final int MAX_REQUEST_ID_LENGTH = 128;
  private static final HexFormat HEX = HexFormat.of();

  private final TrustedProxies proxies;
  private final String peer;
  private final boolean isTrusted;

  ForwardedHeaders(TrustedProxies proxies, Channel channel) {
    this(
        proxies,
        channel.remoteAddress() instanceof InetSocketAddress address && !address.isUnresolved()
            ? withoutZone(address.getAddress().getHostAddress())
            : "unknown");
  }

  ForwardedHeaders(TrustedProxies proxies, String peer) {
    this.proxies = proxies;
    this.peer = peer;
    this.isTrusted = proxies.isTrusted(peer);
  }

  private static String withoutZone(String address) {
    int zone = address.indexOf('%');
    return zone < 0 ? address : address.substring(0, zone);
  }

  /** Returns the address of the client. Call it before the headers are rewritten. */
  String client(HttpHeaders headers) {
    return isTrusted
        ? proxies.client(peer, headers.getAll(FORWARDED), headers.getAll(FORWARDED_FOR))
        : peer;
  }

  /** Returns the request id set by a trusted proxy, or a new one. */
  String requestId(HttpHeaders headers) {
    String given = isTrusted ? headers.get(REQUEST_ID) : null;
    if (given != null && isUsable(given)) {
      return given;
    }
    ThreadLocalRandom random = ThreadLocalRandom.current();
    return HEX.toHexDigits(random.nextLong()) + HEX.toHexDigits(random.nextLong());
  }

  private static boolean isUsable(String id) {
    return !id.isEmpty()
        && id.length() <= MAX_REQUEST_ID_LENGTH
        && id.chars().allMatch(c -> c > ' ' && c < 0x7F);
  }

  /** Removes the hop-by-hop headers. */
  static void removeHopByHop(HttpHeaders headers) {
    for (String line : headers.getAll(HttpHeaderNames.CONNECTION)) {
      for (String name : line.split(",", -1)) {
        String lower = name.strip().toLowerCase(Locale.ROOT);
        if (!lower.isEmpty() && !NEEDED.contains(lower)) {
          headers.remove(lower);
        }
      }
    }
    headers.remove(HttpHeaderNames.CONNECTION);
    headers.remove(KEEP_ALIVE);
    headers.remove(PROXY_CONNECTION);
    headers.remove(HttpHeaderNames.TE);
    headers.remove(HttpHeaderNames.UPGRADE);
    headers.remove(HttpHeaderNames.TRAILER);
    headers.remove(HttpHeaderNames.PROXY_AUTHENTICATE);
    headers.remove(HttpHeaderNames.PROXY_AUTHORIZATION);
  }

  /** Returns true if there is no transfer encoding, or chunked is the only one. */
  static boolean isOnlyChunked(HttpHeaders headers) {
    String encoding = headers.get(HttpHeaderNames.TRANSFER_ENCODING);
    return encoding == null
        || (headers.getAll(HttpHeaderNames.TRANSFER_ENCODING).size() == 1
            && encoding.strip().equalsIgnoreCase("chunked"));
  }

  /** Adds the headers that describe the client, and {@code Via}. */
  void describe(HttpRequest request, String requestId) {
    HttpHeaders headers = request.headers();
    forget(headers);
    String host = headers.get(HttpHeaderNames.HOST, "");
    boolean hasForwarded = headers.contains(FORWARDED);
    boolean hasForwardedFor = headers.contains(FORWARDED_FOR);
    // A proxy that maintains one of the two headers updates only that one; adding the other would
    // contradict it.
    if (hasForwarded || !hasForwardedFor) {
      append(headers, FORWARDED, element(host));
    }
    if (hasForwardedFor || !hasForwarded) {
      append(headers, FORWARDED_FOR, peer);
    }
    if (!headers.contains(FORWARDED_PROTO)) {
      headers.set(FORWARDED_PROTO, "http");
    }
    if (!headers.contains(FORWARDED_HOST)) {
      headers.set(FORWARDED_HOST, host);
    }
    headers.set(REQUEST_ID, requestId);
    append(headers, HttpHeaderNames.VIA, VIA);
  }

  private void forget(HttpHeaders headers) {
    List<CharSequence> forgotten = new ArrayList<>(0);
    Iterator<Map.Entry<CharSequence, CharSequence>> all = headers.iteratorCharSequence();
    while (all.hasNext()) {
      CharSequence name = all.next().getKey();
      if (isTrusted ? isDisguisedFraming(name) : isOnlyFromProxies(name)) {
        forgotten.add(name);
      }
    }
    forgotten.forEach(headers::remove);
  }

  /**
   * Returns true if only proxies may set this header. Some programs treat an underscore in a name
   * as a hyphen, so both spellings match.
   */
  private static boolean isOnlyFromProxies(CharSequence name) {
    boolean isDisguised = isDisguised(name);
    char first = Character.toLowerCase(name.charAt(0));
    if (!isDisguised && first != 'x' && first != 'f' && first != 't') {
      // Fast path without a copy for the majority of names.
      return false;
    }
    String plain = plain(name);
    return ONLY_FROM_PROXIES.contains(plain)
        || (isDisguised && FRAMING.contains(plain))
        || FAMILIES_OF_PROXIES.stream().anyMatch(plain::startsWith);
  }

  private static boolean isDisguisedFraming(CharSequence name) {
    return isDisguised(name) && FRAMING.contains(plain(name));
  }

  private static boolean isDisguised(CharSequence name) {
    return AsciiString.indexOf(name, '_', 0) >= 0;
  }

  private static String plain(CharSequence name) {
    return name.toString().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static void append(HttpHeaders headers, AsciiString name, String value) {
    if (!headers.contains(name)) {
      headers.set(name, value);
      return;
    }
    headers.set(name, String.join(", ", headers.getAll(name)) + ", " + value);
  }

  /**
   * Returns an element of {@code Forwarded}. A value that is not a token is quoted, and an IPv6
   * address also has brackets (RFC 7239).
   */
  private String element(String host) {
    String from = peer.indexOf(':') >= 0 ? "\"[" + peer + "]\"" : peer;
    return host.isEmpty()
        ? "for=" + from + ";proto=http"
        : "for=" + from + ";host=\"" + host.replace("\\", "").replace("\"", "") + "\";proto=http";
  }
}
