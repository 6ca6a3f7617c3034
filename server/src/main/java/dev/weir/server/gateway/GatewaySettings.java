package dev.weir.server.gateway;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * What the gateway needs to know.
 *
 * @param port 0 for a free one
 * @param times how long it waits
 * @param bounds how much it takes
 * @param trust certificates that upstreams may show, in place of those that Java trusts
 */
public record GatewaySettings(
    String host, int port, Times times, Bounds bounds, Optional<Path> trust) {

  /**
   * How long is waited.
   *
   * @param head for a client to send the head of a request, once it has begun
   * @param idle for a client or an upstream that is in the middle of a body to go on, and for the
   *     next request of a client
   * @param connect for an upstream to take a connection, or to have one free
   * @param answer for an upstream to begin its answer
   * @param upstreamIdle how long a connection to an upstream is kept that nobody uses
   */
  public record Times(
      Duration head, Duration idle, Duration connect, Duration answer, Duration upstreamIdle) {
    public static final Times DEFAULT =
        new Times(
            Duration.ofSeconds(10),
            Duration.ofSeconds(60),
            Duration.ofSeconds(3),
            Duration.ofSeconds(30),
            Duration.ofSeconds(4));
  }

  /**
   * How much is taken.
   *
   * @param headerBytes all header fields of a request or an answer
   * @param targetBytes the first line of a request
   * @param connections of clients
   * @param upstreamConnections to each upstream
   */
  public record Bounds(int headerBytes, int targetBytes, int connections, int upstreamConnections) {
    public static final Bounds DEFAULT = new Bounds(16_384, 8_192, 20_000, 1_000);
  }
}
