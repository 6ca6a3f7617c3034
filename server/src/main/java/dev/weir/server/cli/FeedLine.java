package dev.weir.server.cli;

/** One entry of a feed, kept until it is answered. */
sealed interface FeedLine {

  /** The line of the feed it begins on, from 1. */
  long number();

  /** As it stands in the feed. */
  String text();

  /**
   * An entry for the server.
   *
   * @param request what to send, a line without its end
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
   * @param flaw why
   */
  record Flawed(long number, String text, String flaw) implements FeedLine {}
}
