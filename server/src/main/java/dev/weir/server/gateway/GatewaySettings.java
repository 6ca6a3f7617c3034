package dev.weir.server.gateway;

import dev.weir.TrustedProxies;
import dev.weir.server.http.ListenerSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Settings of the gateway.
 *
 * @param port the port to listen on; 0 picks a free one
 * @param times time-outs
 * @param bounds size and connection limits
 * @param trust a file with certificates to trust for upstreams, instead of those that Java trusts
 */
public record GatewaySettings(
    String host, int port, Times times, Bounds bounds, Optional<Path> trust) {

  /**
   * Time-outs.
   *
   * @param head max time for a client to send a request head, once it has begun
   * @param idle max time without progress in the middle of a body, for a client or an upstream, and
   *     max time until a client's next request
   * @param connect max time for an upstream to accept a connection, or for a connection to become
   *     free
   * @param response max time for an upstream to begin its response
   * @param upstreamIdle how long an unused upstream connection is kept
   */
  public record Times(
      Duration head, Duration idle, Duration connect, Duration response, Duration upstreamIdle) {
    public static final Times DEFAULT =
        new Times(
            Duration.ofSeconds(10),
            Duration.ofSeconds(60),
            Duration.ofSeconds(3),
            Duration.ofSeconds(30),
            Duration.ofSeconds(4));
  }

  /**
   * Size and connection limits.
   *
   * @param headerBytes max total size of the header fields of a request or a response
   * @param targetBytes max length of a request line
   * @param minRate min bytes per second of a request body until its response begins; 0 allows any
   *     rate
   * @param connections max client connections
   * @param upstreamConnections max connections to each upstream
   */
  public record Bounds(
      int headerBytes,
      int targetBytes,
      int minRate,
      ListenerSettings.Connections connections,
      int upstreamConnections) {
    public static final Bounds DEFAULT =
        new Bounds(
            16_384,
            8_192,
            240,
            new ListenerSettings.Connections(20_000, 20_000, TrustedProxies.NONE),
            1_000);

    /** Returns these bounds with another max of connections, in total and per address. */
    public Bounds withConnections(int max) {
      return new Bounds(
          headerBytes,
          targetBytes,
          minRate,
          new ListenerSettings.Connections(max, max, connections.proxies()),
          upstreamConnections);
    }

    public Bounds withUpstreamConnections(int max) {
      return new Bounds(headerBytes, targetBytes, minRate, connections, max);
    }

    public Bounds withMinRate(int bytesPerSecond) {
      return new Bounds(headerBytes, targetBytes, bytesPerSecond, connections, upstreamConnections);
    }
  }
}
