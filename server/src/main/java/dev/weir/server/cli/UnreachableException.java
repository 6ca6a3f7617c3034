package dev.weir.server.cli;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if there is no response: nothing listens, the connection broke, or it is not a Weir
 * server.
 */
final class UnreachableException extends Exception {
  private static final long serialVersionUID = 1L;

  UnreachableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /**
   * Returns an exception whose message names the server and the reason in words, which causes often
   * lack.
   */
  static UnreachableException of(URI server, IOException cause) {
    return new UnreachableException("cannot reach " + server + ": " + reason(cause), cause);
  }

  static UnreachableException notWeir(URI server, Exception cause) {
    return new UnreachableException(
        server + " does not answer like a Weir server: " + reason(cause), cause);
  }

  static String reason(Exception cause) {
    return switch (cause) {
      case ConnectException refused -> "connection refused";
      case UnknownHostException unknown -> "unknown host";
      case SocketTimeoutException late -> "no answer in time";
      case HttpTimeoutException late -> "no answer in time";
      default -> {
        String message = cause.getMessage();
        yield message == null ? "the connection broke" : message;
      }
    };
  }
}
