package dev.weir.client;

/** The feeds that are held, resumed, cancelled or tried again. */
public sealed interface FeedScope {
  /** All feeds, also those that arrive later. */
  record All() implements FeedScope {}

  /** One feed. */
  record One(String feedId) implements FeedScope {
    public One {
      Requirements.notBlank("feedId", feedId);
      if (feedId.equals(".") || feedId.equals("..")) {
        // What is in between resolves it as a dot segment, and the path is that of all feeds.
        throw new IllegalArgumentException("feedId must not be " + feedId);
      }
    }
  }

  static FeedScope all() {
    return new All();
  }

  static FeedScope of(String feedId) {
    return new One(feedId);
  }
}
