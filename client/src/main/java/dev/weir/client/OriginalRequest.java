package dev.weir.client;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A request to a service, about which the service asks as a proxy would.
 *
 * @param uri path and query as they were sent
 * @param clientAddress the address of the client; counts only if the server trusts this caller
 * @param headers the header fields that rules count by
 */
public record OriginalRequest(
    String method, String uri, String clientAddress, List<Header> headers) {

  /** A header field. */
  public record Header(String name, String value) {}

  public OriginalRequest {
    headers = List.copyOf(headers);
  }

  /** Returns a request without header fields. */
  public static OriginalRequest of(String method, String uri, String clientAddress) {
    return new OriginalRequest(method, uri, clientAddress, List.of());
  }

  /** Returns a target with characters that are not ASCII as a client should have sent them. */
  static String ascii(String target) {
    if (target.chars().allMatch(c -> c < 0x80)) {
      return target;
    }
    StringBuilder ascii = new StringBuilder();
    for (byte octet : target.getBytes(StandardCharsets.UTF_8)) {
      if (octet < 0) {
        ascii.append("%%%02X".formatted(octet & 0xFF));
      } else {
        ascii.append((char) octet);
      }
    }
    return ascii.toString();
  }

  /** Returns this request with a header field. */
  public OriginalRequest header(String name, String value) {
    List<Header> more = new ArrayList<>(headers);
    more.add(new Header(name, value));
    return new OriginalRequest(method, uri, clientAddress, more);
  }
}
