package dev.weir.http.connections;

/**
 * The time that the request of a connection may take to arrive. Confined to the event loop of the
 * connection.
 */
final class ArrivalTime {
  private final long headTimeoutNanos;
  private final BodyDeadline body;

  /** Since when the time counts for the head that is being received. */
  private long headSinceNanos;

  private boolean isHeadBegun;
  private long pausedSinceNanos;

  ArrivalTime(ListenerSettings settings) {
    this.headTimeoutNanos = settings.headTimeout().toNanos();
    this.body =
        new BodyDeadline(settings.headTimeout(), settings.idleTimeout(), settings.minRate());
  }

  /** Returns the interval at which to look at a request that is arriving. */
  long lookAfterNanos() {
    return headTimeoutNanos;
  }

  /** Bytes of a head have arrived. */
  void headArrives(long nowNanos) {
    if (!isHeadBegun) {
      isHeadBegun = true;
      headSinceNanos = nowNanos;
    }
  }

  /** Counts the time of a head from now, because it was not its turn before. */
  void headBeginsNow(long nowNanos) {
    headSinceNanos = nowNanos;
  }

  /** A head is complete, and its body begins. */
  void bodyBegins(long nowNanos) {
    isHeadBegun = false;
    body.begin(nowNanos);
    pausedSinceNanos = nowNanos;
  }

  /** Bytes of a body have arrived. */
  void bodyArrives(long bytes, long nowNanos) {
    body.arrived(bytes, nowNanos);
  }

  /** The body is not read from now on, so its sender cannot go on. */
  void pauses(long nowNanos) {
    pausedSinceNanos = nowNanos;
  }

  /** The body is read again. */
  void resumes(long nowNanos) {
    body.extend(nowNanos - pausedSinceNanos);
  }

  long headLeftNanos(long nowNanos) {
    return headSinceNanos + headTimeoutNanos - nowNanos;
  }

  long bodyLeftNanos(long nowNanos) {
    return body.nanos() - nowNanos;
  }
}
