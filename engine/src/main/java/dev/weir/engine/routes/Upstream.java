package dev.weir.engine.routes;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Optional;

/**
 * A server to which requests are sent on.
 *
 * @param host a name or a literal address, without brackets
 */
public record Upstream(Protocol protocol, String host, int port) {
  public static final int LONGEST = 300;

  private static final String SHAPE = "must be http://host:port, or so with https, h2c or h2";

  /** What is spoken to it. */
  public enum Protocol {
    /** HTTP/1.1. */
    HTTP(80),
    /** HTTP/1.1 through TLS. */
    HTTPS(443),
    /** HTTP/2 in the clear, without asking first. */
    H2C(80),
    /** HTTP/2 through TLS. */
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
   * Reads an address such as {@code http://127.0.0.1:9000}. It has no path: what a client asks for
   * is what the upstream is asked for.
   *
   * @throws IllegalArgumentException if it is none, without repeating it: it may hold a password
   */
  public static Upstream of(String text) {
    if (text.length() > LONGEST) {
      throw new IllegalArgumentException("must be at most " + LONGEST + " characters");
    }
    URI uri;
    try {
      uri = new URI(text);
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(SHAPE);
    }
    Optional<Protocol> protocol = Optional.ofNullable(uri.getScheme()).flatMap(Protocol::of);
    String path = uri.getPath();
    if (protocol.isEmpty()
        || uri.getHost() == null
        || uri.getUserInfo() != null
        || uri.getQuery() != null
        || uri.getFragment() != null
        || (path != null && !path.isEmpty() && !path.equals("/"))) {
      throw new IllegalArgumentException(SHAPE);
    }
    int port = uri.getPort() < 0 ? protocol.get().port : uri.getPort();
    String host = uri.getHost();
    return new Upstream(
        protocol.get(), host.startsWith("[") ? host.substring(1, host.length() - 1) : host, port);
  }

  /** As it is read by {@link #of}. */
  public String text() {
    return protocol.name().toLowerCase(Locale.ROOT) + "://" + authority();
  }

  /** Host and port. */
  public String authority() {
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }
}
