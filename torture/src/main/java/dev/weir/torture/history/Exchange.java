package dev.weir.torture.history;

import java.time.Instant;

/**
 * A request and its answer, as the caller saw them.
 *
 * @param kind what was asked, such as {@code ask} or {@code cancel}
 * @param subject what it was about: the id of an event, or a rule and a key
 * @param node the number of the node, from 1; 0 for a call that a node made
 * @param beginNanos before the request was sent, by the caller's {@link System#nanoTime}
 * @param beganAt the same moment by the clock of the machine
 * @param endNanos after the answer was read
 * @param status the status of HTTP, or 0 if there was no answer
 * @param answer the body, or why there was none
 */
public record Exchange(
    long number,
    String kind,
    String subject,
    int node,
    String request,
    long beginNanos,
    Instant beganAt,
    long endNanos,
    int status,
    String answer) {

  /** What the caller knows about a request. */
  public enum Outcome {
    /** It was done. */
    DONE,
    /** It was refused, and nothing was done. */
    REFUSED,
    /** It failed, and nothing was done. */
    NONE,
    /** It may or may not have been done. */
    UNKNOWN
  }

  public Outcome outcome() {
    if (status >= 200 && status < 300) {
      return Outcome.DONE;
    }
    if (status >= 400 && status < 500) {
      return Outcome.REFUSED;
    }
    if (answer.contains("\"outcome\":\"none\"")) {
      return Outcome.NONE;
    }
    return answer.contains(":problem:no-capacity\"") ? Outcome.REFUSED : Outcome.UNKNOWN;
  }

  public boolean isDone() {
    return outcome() == Outcome.DONE;
  }

  public boolean isUnknown() {
    return outcome() == Outcome.UNKNOWN;
  }

  /** The fields of the answer, which must be an object. */
  public Json fields() {
    return Json.read(answer);
  }

  /** Returns true if this was over before the other began. */
  public boolean precedes(Exchange other) {
    return endNanos - other.beginNanos < 0;
  }
}
