package dev.weir.server.cli;

/** One entry of a feed, kept until its result is known. */
sealed interface FeedLine {

  /** Returns the number of the line on which the entry begins, from 1. */
  long number();

  /** Returns the entry as it is in the feed. */
  String text();

  /**
   * An entry for the server.
   *
   * @param request the line to send, without its end
   * @param attempt how often it has been sent before
   */
  record Entry(long number, String text, String request, int attempt) implements FeedLine {
    Entry(long number, String text, String request) {
      this(number, text, request, 0);
    }

    Entry again() {
      return new Entry(number, text, request, attempt + 1);
    }
  }

  /**
   * An entry that cannot be sent.
   *
   * @param flaw the reason
   */
  record Flawed(long number, String text, String flaw) implements FeedLine {}
}
