package dev.weir.server.gateway;

import java.time.Duration;

/** The client of an exchange, as the exchange sees it. Belongs to one event loop. */
interface Client {
  EventLoopContext loop();

  FlowControlledChannel wire();

  ForwardedHeaders hop();

  /** Sets whether more may be read. What was read before it was wanted comes first. */
  void read(boolean isRead);

  /** Sets how long may pass from now on until the exchange is told that its time is up. */
  void patience(Duration max);

  void endlessPatience();

  /** The request is answered, and read to its end. */
  void exchangeOver();

  /** Ends the connection when all that was written is on its way. */
  void closeAfterAnswer();

  /** Ends the connection so that what was sent cannot be taken for the whole of it. */
  void cut();

  /** From now on it carries bytes, not messages; returns false if more came than belongs to it. */
  boolean becomeTunnel();
}
