package dev.weir.client;

/** The feeds that are held, resumed, cancelled or tried again. */
public sealed interface FeedScope {
  /** All feeds, also those that arrive later. */
  record All() implements FeedScope {}

  /** One feed. */
  record One(String feedId) implements FeedScope {
    public One {
      Requirements.notBlank("feedId", feedId);
    }
  }

  static FeedScope all() {
    return new All();
  }

  static FeedScope of(String feedId) {
    return new One(feedId);
  }
}
