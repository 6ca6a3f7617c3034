package dev.weir.server.gateway;

import dev.weir.http.problems.Problem;
import dev.weir.server.metrics.GatewayMetrics;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpResponse;

/** Handles the upstream's response, or its failure. */
interface UpstreamListener {
  /** Adapts the upstream's response for the client. */
  void adapt(HttpResponse response);

  /** Returns the response for the client when the upstream has switched protocols. */
  FullHttpResponse upgraded(HttpResponse response);

  /** Called when the response is complete. */
  void responded();

  /** Called when either side of a tunnel has closed. */
  void tunnelEnded();

  /** Called when the upstream gave no valid response. */
  void failed(GatewayMetrics.Failure failure, Problem problem);

  /**
   * Sends an error response in place of the upstream's, and closes the client connection after it.
   */
  void refuseForGood(Problem problem);

  /** Called when the upstream closed in the middle of its response. */
  void brokenOff();

  /**
   * Resets the client connection, so that a partial response cannot be mistaken for a complete one.
   */
  void cut();
}
