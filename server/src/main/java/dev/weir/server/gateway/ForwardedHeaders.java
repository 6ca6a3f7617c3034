package dev.weir.server.gateway;

import dev.weir.engine.rules.TrustedProxies;
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
 * The step from one client to an upstream: what of a header goes on, and what is added to it.
 *
 * <p>What a client says of where it comes from is passed on only if the client is a trusted proxy;
 * everybody else is described by us.
 */
final class ForwardedHeaders {
  static final AsciiString REQUEST_ID = AsciiString.cached("x-request-id");
  static final String VIA = "1.1 weir";

  private static final AsciiString FORWARDED = AsciiString.cached("forwarded");
  private static final AsciiString FORWARDED_FOR = AsciiString.cached("x-forwarded-for");
  private static final AsciiString FORWARDED_PROTO = AsciiString.cached("x-forwarded-proto");
  private static final AsciiString FORWARDED_HOST = AsciiString.cached("x-forwarded-host");
  private static final AsciiString REAL_IP = AsciiString.cached("x-real-ip");
  private static final AsciiString KEEP_ALIVE = AsciiString.cached("keep-alive");
  private static final AsciiString PROXY_CONNECTION = AsciiString.cached("proxy-connection");

  /** What only a proxy may say, apart from the four above. */
  private static final List<AsciiString> ONLY_FROM_PROXIES =
      List.of(
          AsciiString.cached("x-forwarded-port"),
          AsciiString.cached("x-forwarded-prefix"),
          AsciiString.cached("x-forwarded-server"),
          AsciiString.cached("x-forwarded-uri"),
          AsciiString.cached("x-forwarded-method"),
          AsciiString.cached("x-original-uri"),
          AsciiString.cached("x-original-method"),
          // Some frameworks take these for the path, whatever the request line says.
          AsciiString.cached("x-original-url"),
          AsciiString.cached("x-rewrite-url"));

  /** Some programs take an underscore in a name for a hyphen. */
  private static final Set<String> NOT_IN_DISGUISE =
      Set.of(
          "forwarded",
          "x-forwarded-for",
          "x-forwarded-proto",
          "x-forwarded-host",
          "x-forwarded-port",
          "x-forwarded-prefix",
          "x-forwarded-server",
          "x-real-ip",
          "x-request-id",
          "x-original-url",
          "x-rewrite-url",
          "transfer-encoding",
          "content-length");

  /** What a client cannot have taken out by naming it in Connection. */
  private static final Set<String> NEEDED = Set.of("host", "content-length", "transfer-encoding");

  private static final int LONGEST_REQUEST_ID = 128;
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

  /** Where a request comes from; to be asked before its header is changed. */
  String client(HttpHeaders headers) {
    return isTrusted
        ? proxies.client(peer, headers.getAll(FORWARDED), headers.getAll(FORWARDED_FOR))
        : peer;
  }

  /** The id that a trusted proxy gave to a request, or a new one. */
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
        && id.length() <= LONGEST_REQUEST_ID
        && id.chars().allMatch(c -> c > ' ' && c < 0x7F);
  }

  /** Takes out what is meant for us alone. */
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

  /** Says where a request comes from, and that it came through us. */
  void describe(HttpRequest request, String requestId) {
    HttpHeaders headers = request.headers();
    if (!isTrusted) {
      forget(headers);
    }
    String host = headers.get(HttpHeaderNames.HOST, "");
    boolean hasForwarded = headers.contains(FORWARDED);
    boolean hasForwardedFor = headers.contains(FORWARDED_FOR);
    // A proxy that keeps one of the two speaks only of that one; a new one would contradict it.
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
    headers.remove(FORWARDED);
    headers.remove(FORWARDED_FOR);
    headers.remove(FORWARDED_PROTO);
    headers.remove(FORWARDED_HOST);
    headers.remove(REAL_IP);
    for (AsciiString name : ONLY_FROM_PROXIES) {
      headers.remove(name);
    }
    List<CharSequence> disguised = new ArrayList<>(0);
    Iterator<Map.Entry<CharSequence, CharSequence>> all = headers.iteratorCharSequence();
    while (all.hasNext()) {
      CharSequence name = all.next().getKey();
      if (AsciiString.indexOf(name, '_', 0) >= 0
          && NOT_IN_DISGUISE.contains(name.toString().toLowerCase(Locale.ROOT).replace('_', '-'))) {
        disguised.add(name);
      }
    }
    disguised.forEach(headers::remove);
  }

  private static void append(HttpHeaders headers, AsciiString name, String value) {
    if (!headers.contains(name)) {
      headers.set(name, value);
      return;
    }
    headers.set(name, String.join(", ", headers.getAll(name)) + ", " + value);
  }

  /** RFC 7239: what is not a token is quoted, an address of IPv6 has brackets too. */
  private String element(String host) {
    String from = peer.indexOf(':') >= 0 ? "\"[" + peer + "]\"" : peer;
    return host.isEmpty()
        ? "for=" + from + ";proto=http"
        : "for=" + from + ";host=\"" + host.replace("\\", "").replace("\"", "") + "\";proto=http";
  }
}
