package dev.weir.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import javax.net.ssl.SSLHandshakeException;

/**
 * Thrown if no usable answer came: the server cannot be reached, did not answer in time, the
 * connection broke, or what answers is not a Weir server.
 */
public final class UnansweredException extends WeirException {
  private static final long serialVersionUID = 1L;

  private final Reason reason;

  /** Why there is no answer. */
  public enum Reason {
    /** There was no connection, and nothing was sent. */
    UNREACHABLE,
    /** The time-out has passed. */
    TIMED_OUT,
    /** The connection broke before the whole answer was there. */
    BROKEN,
    /** The answer is not one of a Weir server. */
    NOT_WEIR,
    /** The thread was interrupted, and is marked so. */
    INTERRUPTED,
    /** The client was closed, before the call or during it. */
    CLOSED
  }

  UnansweredException(Reason reason, String message, Outcome outcome, Throwable cause) {
    super(message, outcome, cause);
    this.reason = reason;
  }

  /** Returns why there is no answer. */
  public Reason reason() {
    return reason;
  }

  @Override
  UnansweredException afterUnknown() {
    return new UnansweredException(reason, String.valueOf(getMessage()), Outcome.UNKNOWN, this);
  }

  /** Returns the failure of a call, with its server and the reason in words. */
  static UnansweredException of(URI server, Throwable failure, Outcome ifSent) {
    boolean isUnreachable =
        failure instanceof ConnectException
            || failure instanceof HttpConnectTimeoutException
            || failure instanceof UnknownHostException
            || failure instanceof SSLHandshakeException;
    String words = words(failure);
    return isUnreachable
        ? new UnansweredException(
            Reason.UNREACHABLE,
            "cannot reach %s: %s".formatted(server, words),
            Outcome.NONE,
            failure)
        : new UnansweredException(
            failure instanceof HttpTimeoutException ? Reason.TIMED_OUT : Reason.BROKEN,
            "lost %s: %s".formatted(server, words),
            ifSent,
            failure);
  }

  static UnansweredException timedOut(URI server, Duration timeout, Outcome ifSent, Throwable e) {
    return new UnansweredException(
        Reason.TIMED_OUT, "no answer from %s within %s".formatted(server, timeout), ifSent, e);
  }

  static UnansweredException notWeir(URI server, Outcome ifSent, IOException what) {
    return new UnansweredException(
        Reason.NOT_WEIR,
        "%s does not answer like a Weir server: %s".formatted(server, words(what)),
        ifSent,
        what);
  }

  static UnansweredException interrupted(URI server, Outcome ifSent, InterruptedException e) {
    return new UnansweredException(
        Reason.INTERRUPTED, "the wait for %s was interrupted".formatted(server), ifSent, e);
  }

  static UnansweredException closed(URI server, Outcome outcome, Throwable e) {
    return new UnansweredException(
        Reason.CLOSED, "the client of %s is closed".formatted(server), outcome, e);
  }

  /** The JDK's exceptions have no message in the most frequent cases. */
  private static String words(Throwable failure) {
    return switch (failure) {
      case HttpConnectTimeoutException late -> "no connection in time";
      case ConnectException unknown when isUnknownHost(unknown) -> "unknown host";
      case ConnectException refused -> "connection refused";
      case UnknownHostException unknown -> "unknown host";
      case JsonProcessingException noJson -> "it is no JSON: " + noJson.getOriginalMessage();
      default -> {
        String message = failure.getMessage();
        yield message == null ? "the connection broke" : message;
      }
    };
  }

  private static boolean isUnknownHost(ConnectException failure) {
    Throwable cause = failure;
    while (cause != null && !(cause instanceof UnresolvedAddressException)) {
      cause = cause.getCause();
    }
    return cause != null;
  }
}
