package dev.weir.routes.internal;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Optional;

/**
 * A server to which requests are forwarded.
 *
 * @param host a name or a literal address, without brackets
 */
public record Upstream(Protocol protocol, String host, int port) {
  public static final int MAX_LENGTH = 300;

  private static final String FORMAT =
      "must be http://host:port, or the same with https, h2c or h2";

  /** The protocol between the gateway and an upstream. */
  public enum Protocol {
    /** HTTP/1.1. */
    HTTP(80),
    /** HTTP/1.1 over TLS. */
    HTTPS(443),
    /** HTTP/2 in cleartext with prior knowledge. */
    H2C(80),
    /** HTTP/2 over TLS. */
    H2(443);

    private final int port;

    Protocol(int port) {
      this.port = port;
    }

    public boolean isEncrypted() {
      return this == HTTPS || this == H2;
    }

    public boolean isMultiplexed() {
      return this == H2C || this == H2;
    }

    private static Optional<Protocol> of(String scheme) {
      for (Protocol protocol : values()) {
        if (protocol.name().equals(scheme.toUpperCase(Locale.ROOT))) {
          return Optional.of(protocol);
        }
      }
      return Optional.empty();
    }
  }

  public Upstream {
    if (host.isEmpty()) {
      throw new IllegalArgumentException("must have a host");
    }
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException("must have a port from 1 to 65535, not " + port);
    }
  }

  /**
   * Parses an address such as {@code http://127.0.0.1:9000}. It has no path: a request is forwarded
   * with the path that the client sent.
   *
   * @throws IllegalArgumentException if it is invalid; the message does not contain it, because it
   *     may hold a password
   */
  public static Upstream of(String text) {
    if (text.length() > MAX_LENGTH) {
      throw new IllegalArgumentException("must be at most " + MAX_LENGTH + " characters");
    }
    URI uri;
    try {
      uri = new URI(text);
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(FORMAT);
    }
    Optional<Protocol> protocol = Optional.ofNullable(uri.getScheme()).flatMap(Protocol::of);
    String path = uri.getPath();
    if (protocol.isEmpty()
        || uri.getHost() == null
        || uri.getUserInfo() != null
        || uri.getQuery() != null
        || uri.getFragment() != null
        || (path != null && !path.isEmpty() && !path.equals("/"))) {
      throw new IllegalArgumentException(FORMAT);
    }
    int port = uri.getPort() < 0 ? protocol.get().port : uri.getPort();
    String host = uri.getHost();
    return new Upstream(
        protocol.get(), host.startsWith("[") ? host.substring(1, host.length() - 1) : host, port);
  }

  /** Returns the address in the format that {@link #of} parses. */
  public String text() {
    return protocol.name().toLowerCase(Locale.ROOT) + "://" + authority();
  }

  /** Returns host and port. */
  public String authority() {
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }
}
