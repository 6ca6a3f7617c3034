package dev.weir.payments.server.cli;

import dev.weir.client.Feed;
import dev.weir.node.cli.Phrases;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** How the progress of a feed of payments is shown. */
record FeedProgress(Feed feed) {
  boolean isDone() {
    return feed.state() == Feed.State.DONE;
  }

  /** Returns true if every payment of this feed is paid. Earlier feeds have the repeated ones. */
  boolean isAllPaid() {
    return isDone() && feed.rejected() == 0 && feed.failed() == 0 && feed.cancelled() == 0;
  }

  long ended() {
    return feed.paid() + feed.failed() + feed.cancelled();
  }

  /** Returns the payments that are not made yet. */
  long open() {
    return Math.max(0, feed.read() - feed.repeated() - feed.rejected() - ended());
  }

  /**
   * Returns the time until the last payment, if it can be told: that of the last slot, or longer if
   * payments end more slowly than their slots come.
   *
   * @param endedPerSecond the rate at which payments end now
   */
  Optional<Duration> timeLeft(Instant now, double endedPerSecond) {
    if (feed.lastScheduled().isEmpty()
        || feed.assigned() < feed.read() - feed.repeated() - feed.rejected()) {
      return Optional.empty();
    }
    Duration untilLastSlot = Duration.between(now, feed.lastScheduled().get());
    Duration atThisRate =
        endedPerSecond > 0
            ? Duration.ofMillis(Math.round(open() / endedPerSecond * 1_000))
            : Duration.ZERO;
    Duration left = untilLastSlot.compareTo(atThisRate) > 0 ? untilLastSlot : atThisRate;
    return left.isNegative() ? Optional.empty() : Optional.of(left);
  }

  /** Returns the counts in one line. */
  String counts() {
    StringBuilder text = new StringBuilder();
    text.append(Phrases.number(feed.read())).append(" read, ");
    text.append(Phrases.number(feed.rejected())).append(" rejected, ");
    text.append(Phrases.number(feed.assigned())).append(" assigned, ");
    text.append(Phrases.number(feed.started())).append(" started, ");
    text.append(Phrases.number(feed.paid())).append(" paid");
    if (feed.failed() > 0) {
      text.append(", ").append(Phrases.number(feed.failed())).append(" failed");
    }
    if (feed.cancelled() > 0) {
      text.append(", ").append(Phrases.number(feed.cancelled())).append(" cancelled");
    }
    return text.toString();
  }

  /** Returns all that is known, a line each. */
  List<String> lines() {
    return List.of(
        "feed       " + feed.feedId(),
        "state      " + feed.state(),
        "read       " + Phrases.number(feed.read()),
        "rejected   " + Phrases.number(feed.rejected()),
        "repeated   " + Phrases.number(feed.repeated()),
        "assigned   " + Phrases.number(feed.assigned()),
        "started    " + Phrases.number(feed.started()),
        "paid       " + Phrases.number(feed.paid()),
        "failed     " + Phrases.number(feed.failed()),
        "cancelled  " + Phrases.number(feed.cancelled()),
        "first      " + feed.firstScheduled().map(Object::toString).orElse("none"),
        "last       " + feed.lastScheduled().map(Object::toString).orElse("none"));
  }
}
