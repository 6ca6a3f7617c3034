package dev.weir.address.internal;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Literal IP addresses. Names are never resolved. */
public final class ClientAddress {
  private static final int MAX_LENGTH = 64;
  private static final int V4_BYTES = 4;
  private static final int COUNTED_V6_BYTES = 8;

  private ClientAddress() {}

  /** Returns true for a literal IPv4 or IPv6 address. */
  public static boolean isAddress(String text) {
    return bytes(text).isPresent();
  }

  /** Returns the 4 or 16 bytes of a literal address; an IPv4-mapped IPv6 address has 4. */
  public static Optional<byte[]> bytes(String text) {
    String bare =
        text.startsWith("[") && text.endsWith("]") ? text.substring(1, text.length() - 1) : text;
    int zone = bare.indexOf('%');
    String literal = zone > 0 ? bare.substring(0, zone) : bare;
    if (literal.isEmpty() || literal.length() > MAX_LENGTH || !isLiteral(literal)) {
      return Optional.empty();
    }
    try {
      // A literal is not looked up, and an IPv4-mapped IPv6 literal yields the IPv4 address.
      return Optional.of(InetAddress.getByName(literal).getAddress());
    } catch (UnknownHostException e) {
      return Optional.empty();
    }
  }

  /** Returns true for dotted decimal, or hexadecimal with colons: nothing that could be a name. */
  private static boolean isLiteral(String text) {
    return text.indexOf(':') >= 0
        ? text.matches("[0-9A-Fa-f:.]+")
        : text.matches(
            "(25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})(\\.(25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})){3}");
  }

  /**
   * Returns the text by which an address is counted. IPv6 addresses are counted by their first 64
   * bits, because a client with one usually has all 2<sup>64</sup> of them.
   */
  public static String counted(String address) {
    if (address.indexOf(':') < 0) {
      return address;
    }
    byte @Nullable [] bytes = bytes(address).orElse(null);
    if (bytes == null) {
      return address;
    }
    if (bytes.length == V4_BYTES) {
      return text(bytes);
    }
    StringBuilder prefix = new StringBuilder();
    for (int i = 0; i < COUNTED_V6_BYTES; i += 2) {
      prefix.append(Integer.toHexString((bytes[i] & 0xFF) << 8 | (bytes[i + 1] & 0xFF)));
      prefix.append(':');
    }
    return prefix.append(":/64").toString();
  }

  public static String text(byte[] bytes) {
    try {
      return InetAddress.getByAddress(bytes).getHostAddress();
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("an address has 4 or 16 bytes, not " + bytes.length, e);
    }
  }
}
