package dev.weir.server.gateway;

/** Ways to one upstream, of one event loop. */
sealed interface UpstreamPool permits Http1Pool, Http2Pool {
  /**
   * Finds a way for a request, which is told of it, or that there is none, now or later.
   *
   * @param isFresh whether it must not be one that was used before
   */
  void open(UpstreamExchange passage, boolean isFresh);

  /** Takes back a way whose answer was read to its end. */
  void release(UpstreamConnection connection);

  /** A way is closed. */
  void lost(UpstreamConnection connection);

  /** Closes what nobody has used for long. */
  void sweep(long nowNanos);

  boolean isUnused();

  void close();
}
