package dev.weir.server.gateway;

import java.time.Duration;

/** The client side of an {@link Exchange}. Confined to one event loop. */
interface Client {
  EventLoopContext loop();

  FlowControlledChannel wire();

  ForwardedHeaders forwardedHeaders();

  /** Sets whether more is read from the client. Bytes that were read early are delivered first. */
  void read(boolean isRead);

  /** Sets the time, counted from now, after which the exchange times out. */
  void timeOutAfter(Duration max);

  /** Sets the deadline of the current wait, by {@link System#nanoTime}. */
  void timeOutAt(long nanos);

  void neverTimeOut();

  /** Called when the request is answered and has been read to its end. */
  void exchangeOver();

  /** Closes the connection after everything written has been flushed. */
  void closeAfterResponse();

  /** Resets the connection so that a partial response cannot be mistaken for a complete one. */
  void cut();

  /** Returns true if more bytes have arrived than belong to the current request. */
  boolean isAhead();

  /** Switches from HTTP messages to raw bytes, if the client is not {@link #isAhead}. */
  void becomeTunnel();
}
