package dev.weir.server.gateway;

/** The connections of one event loop to one upstream. */
interface UpstreamPool {
  /** A request that waits for an upstream connection. */
  interface Waiting {
    /** Returns true if the request still needs a connection. */
    boolean isConnecting();

    /** Returns true if the whole request has arrived. */
    boolean isWhole();

    /** Called with the connection for the request. */
    void connected(UpstreamConnection connection);

    /** Called if no connection could be opened. */
    void unreachable(Throwable cause);
  }

  /**
   * Provides a connection for a request, and notifies it of the result, now or later.
   *
   * @param isFresh whether the connection must be a new one
   */
  void open(Waiting passage, boolean isFresh);

  /** Called when a request that may wait here has arrived completely. */
  void arrived(Waiting passage);

  /** Closes connections that have been unused for too long. */
  void sweep(long nowNanos);

  boolean isUnused();

  void close();
}
