package dev.weir;

import dev.weir.address.internal.ClientAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The proxies that are trusted to report where a request comes from.
 *
 * <p>Each proxy appends the address that it saw to {@code Forwarded} or {@code X-Forwarded-For}.
 * Read from the right, the first address that is not a trusted proxy is the client; anything to the
 * left of it may be forged.
 */
public final class TrustedProxies {
  /** Trusts no proxy. */
  public static final TrustedProxies NONE = new TrustedProxies(List.of());

  /** The maximum number of hops that are read; more indicate an attack. */
  private static final int MAX_HOPS = 64;

  private static final Pattern WITH_PORT = Pattern.compile("(\\[[^]]*]|[^:]+):[0-9]{1,5}");

  private final List<Network> networks;

  private static final class Network {
    private final byte[] address;
    private final int bits;

    Network(byte[] address, int bits) {
      this.address = address;
      this.bits = bits;
    }

    boolean contains(byte[] other) {
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
   * Parses addresses and networks, such as {@code 10.0.0.0/8, ::1}.
   *
   * @throws IllegalArgumentException if one of them is invalid
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
    int maxBits = address.length * Byte.SIZE;
    if (slash < 0) {
      return new Network(address, maxBits);
    }
    String bits = text.substring(slash + 1);
    if (!bits.matches("[0-9]{1,3}") || Integer.parseInt(bits) > maxBits) {
      throw new IllegalArgumentException(
          "must be an address or a network such as 10.0.0.0/8, not " + text);
    }
    return new Network(address, Integer.parseInt(bits));
  }

  /**
   * Returns the address of the client of a request.
   *
   * <p>A proxy writes one of the two headers and passes the other one on as received, forged or
   * not. If they disagree, neither can be trusted, and the peer is returned.
   *
   * @param peer the address of the sender of the connection
   * @param forwarded all lines of the header {@code Forwarded}, in order
   * @param forwardedFor all lines of {@code X-Forwarded-For}, in order
   */
  public String client(String peer, List<String> forwarded, List<String> forwardedFor) {
    if (networks.isEmpty() || !isTrusted(peer)) {
      return peer;
    }
    String one = client(peer, forValues(forwarded));
    String other = client(peer, split(forwardedFor, ","));
    if (forwarded.isEmpty() || forwardedFor.isEmpty()) {
      return forwarded.isEmpty() ? other : one;
    }
    return one.equals(other) ? one : peer;
  }

  private String client(String peer, List<String> hops) {
    String client = peer;
    for (int i = hops.size() - 1; i >= Math.max(0, hops.size() - MAX_HOPS); i--) {
      Optional<byte[]> hop = address(hops.get(i));
      if (hop.isEmpty()) {
        // A trusted proxy does not name the sender, so the proxy itself is counted.
        return client;
      }
      client = ClientAddress.text(hop.get());
      if (!isTrusted(client)) {
        return client;
      }
    }
    return client;
  }

  /** Returns true if an address belongs to a trusted proxy. */
  public boolean isTrusted(String address) {
    Optional<byte[]> bytes = ClientAddress.bytes(address);
    return bytes.isPresent()
        && networks.stream().anyMatch(network -> network.contains(bytes.get()));
  }

  private static List<String> forValues(List<String> forwarded) {
    List<String> forValues = new ArrayList<>();
    for (String element : split(forwarded, ",")) {
      forValues.add(
          split(List.of(element), ";").stream()
              .filter(pair -> pair.toLowerCase(Locale.ROOT).startsWith("for="))
              .map(pair -> unquoted(pair.substring("for=".length())))
              .findFirst()
              .orElse(""));
    }
    return forValues;
  }

  /**
   * Splits header lines regardless of quotes. What a proxy appends follows the last comma, and no
   * address contains one; a quote opened by a client must not reach that far.
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

  /**
   * Returns the text without its quotes; a text with only one of them is returned as it is and is
   * not an address.
   */
  private static String unquoted(String text) {
    boolean isQuoted = text.length() >= 2 && text.startsWith("\"") && text.endsWith("\"");
    return isQuoted ? text.substring(1, text.length() - 1) : text;
  }

  /** Returns the address of a hop, which may have a port; empty for anything else. */
  private static Optional<byte[]> address(String hop) {
    Matcher withPort = WITH_PORT.matcher(hop);
    return ClientAddress.bytes(withPort.matches() ? withPort.group(1) : hop);
  }
}
