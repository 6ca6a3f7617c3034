package dev.weir.server.gateway;

/** Ways to one upstream, of one event loop. */
interface UpstreamPool extends UpstreamConnection.Owner {
  /** A request that wants a way to its upstream. */
  interface Waiting {
    /** Returns true if it still wants one. */
    boolean isConnecting();

    /** There is a way to the upstream. */
    void connected(UpstreamConnection connection);

    /** There is no way to the upstream. */
    void unreachable(Throwable cause);
  }

  /**
   * Finds a way for a request, which is told of it, or that there is none, now or later.
   *
   * @param isFresh whether it must not be one that was used before
   */
  void open(Waiting passage, boolean isFresh);

  /** Closes what nobody has used for long. */
  void sweep(long nowNanos);

  boolean isUnused();

  void close();
}
