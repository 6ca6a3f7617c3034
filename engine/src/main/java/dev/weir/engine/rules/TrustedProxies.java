package dev.weir.engine.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The proxies whose word is taken for where a request comes from.
 *
 * <p>Each proxy adds the address that it saw at the right end of {@code Forwarded} or {@code
 * X-Forwarded-For}. Read from the right, the first that is no trusted proxy is the client; what
 * stands left of it could have been made up by anybody.
 */
public final class TrustedProxies {
  /** Nobody's word is taken. */
  public static final TrustedProxies NONE = new TrustedProxies(List.of());

  /** So many hops, at most, are read: more are an attack. */
  private static final int MOST_HOPS = 64;

  private static final Pattern WITH_PORT = Pattern.compile("(\\[[^]]*]|[^:]+):[0-9]{1,5}");

  private final List<Network> networks;

  private static final class Network {
    private final byte[] address;
    private final int bits;

    Network(byte[] address, int bits) {
      this.address = address;
      this.bits = bits;
    }

    boolean has(byte[] other) {
      if (other.length != address.length) {
        return false;
      }
      for (int bit = 0; bit < bits; bit += Byte.SIZE) {
        int mask = 0xFF << Math.max(0, Byte.SIZE - (bits - bit));
        if (((address[bit / Byte.SIZE] ^ other[bit / Byte.SIZE]) & mask & 0xFF) != 0) {
          return false;
        }
      }
      return true;
    }
  }

  private TrustedProxies(List<Network> networks) {
    this.networks = List.copyOf(networks);
  }

  /**
   * Reads addresses and networks, such as {@code 10.0.0.0/8, ::1}.
   *
   * @throws IllegalArgumentException if one of them is none
   */
  public static TrustedProxies of(List<String> texts) {
    return new TrustedProxies(texts.stream().map(TrustedProxies::network).toList());
  }

  private static Network network(String text) {
    int slash = text.indexOf('/');
    byte[] address =
        ClientAddress.bytes(slash < 0 ? text : text.substring(0, slash))
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "must be an address or a network such as 10.0.0.0/8, not " + text));
    int most = address.length * Byte.SIZE;
    if (slash < 0) {
      return new Network(address, most);
    }
    String bits = text.substring(slash + 1);
    if (!bits.matches("[0-9]{1,3}") || Integer.parseInt(bits) > most) {
      throw new IllegalArgumentException(
          "must be an address or a network such as 10.0.0.0/8, not " + text);
    }
    return new Network(address, Integer.parseInt(bits));
  }

  /**
   * Where a request comes from.
   *
   * <p>A proxy writes one of the two headers and passes the other on as it came, made up or not; if
   * they tell different stories, nobody can tell which is true, and the peer is counted.
   *
   * @param peer the address of whoever sent it to us
   * @param forwarded all lines of the header {@code Forwarded}, in order
   * @param forwardedFor all lines of {@code X-Forwarded-For}, in order
   */
  public String client(String peer, List<String> forwarded, List<String> forwardedFor) {
    if (networks.isEmpty() || !isTrusted(peer)) {
      return peer;
    }
    String one = client(peer, fors(forwarded));
    String other = client(peer, split(forwardedFor, ","));
    if (forwarded.isEmpty() || forwardedFor.isEmpty()) {
      return forwarded.isEmpty() ? other : one;
    }
    return one.equals(other) ? one : peer;
  }

  private String client(String peer, List<String> hops) {
    String client = peer;
    for (int i = hops.size() - 1; i >= Math.max(0, hops.size() - MOST_HOPS); i--) {
      Optional<byte[]> hop = address(hops.get(i));
      if (hop.isEmpty()) {
        // A trusted proxy saw somebody whom it does not name: the proxy is counted.
        return client;
      }
      client = ClientAddress.text(hop.get());
      if (!isTrusted(client)) {
        return client;
      }
    }
    return client;
  }

  /** Whether an address is one of them. */
  public boolean isTrusted(String address) {
    Optional<byte[]> bytes = ClientAddress.bytes(address);
    return bytes.isPresent() && networks.stream().anyMatch(network -> network.has(bytes.get()));
  }

  private static List<String> fors(List<String> forwarded) {
    List<String> fors = new ArrayList<>();
    for (String element : split(forwarded, ",")) {
      fors.add(
          split(List.of(element), ";").stream()
              .filter(pair -> pair.toLowerCase(Locale.ROOT).startsWith("for="))
              .map(pair -> unquoted(pair.substring("for=".length())))
              .findFirst()
              .orElse(""));
    }
    return fors;
  }

  /**
   * The parts of a header, whatever quotes it has. What a proxy adds stands behind the last comma,
   * and no address has one in it; a quote that a client has opened must not reach that far.
   */
  private static List<String> split(List<String> lines, String separator) {
    List<String> parts = new ArrayList<>();
    for (String line : lines) {
      for (String part : line.split(separator, -1)) {
        parts.add(part.strip());
      }
    }
    return parts;
  }

  /** What stands between quotes; what has only one of them stays as it is, and is no address. */
  private static String unquoted(String text) {
    boolean isQuoted = text.length() >= 2 && text.startsWith("\"") && text.endsWith("\"");
    return isQuoted ? text.substring(1, text.length() - 1) : text;
  }

  /** The address of a hop, which may have a port; empty if there is anything else. */
  private static Optional<byte[]> address(String hop) {
    Matcher withPort = WITH_PORT.matcher(hop);
    return ClientAddress.bytes(withPort.matches() ? withPort.group(1) : hop);
  }
}
