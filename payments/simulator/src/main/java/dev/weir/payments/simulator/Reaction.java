package dev.weir.payments.simulator;

import java.time.Duration;

/** What the simulated API does about a call. */
public sealed interface Reaction {

  /** Returns how long it waits first. */
  Duration delay();

  /**
   * It answers.
   *
   * @param body a JSON object
   * @param retryAfter how long the caller should wait before it calls again; zero to say nothing
   */
  record Answer(Duration delay, int status, String body, Duration retryAfter) implements Reaction {}

  /** It closes the connection without an answer. */
  record HangUp(Duration delay) implements Reaction {}
}
