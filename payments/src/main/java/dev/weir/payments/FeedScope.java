package dev.weir.payments;

/** The feeds that an operator's action is for. */
public sealed interface FeedScope {
  /** One feed. */
  record One(String feedId) implements FeedScope {}

  /** All feeds; a hold of all is also for those that arrive later. */
  record All() implements FeedScope {}
}
