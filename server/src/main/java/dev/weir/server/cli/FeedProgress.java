package dev.weir.server.cli;

import java.io.IOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The progress of a feed of payments, as the server reports it. */
record FeedProgress(
    String feedId,
    String state,
    long read,
    long repeated,
    long rejected,
    long assigned,
    long started,
    long paid,
    long failed,
    long cancelled,
    Optional<Instant> firstScheduled,
    Optional<Instant> lastScheduled) {

  static FeedProgress read(byte[] answer) throws IOException {
    return of(JsonObject.read(answer));
  }

  static FeedProgress of(JsonObject feed) throws IOException {
    try {
      return new FeedProgress(
          feed.requiredText("feedId"),
          feed.requiredText("state"),
          feed.requiredNumber("read"),
          feed.requiredNumber("repeated"),
          feed.requiredNumber("rejected"),
          feed.requiredNumber("assigned"),
          feed.requiredNumber("started"),
          feed.requiredNumber("paid"),
          feed.requiredNumber("failed"),
          feed.requiredNumber("cancelled"),
          feed.text("firstScheduled").map(Instant::parse),
          feed.text("lastScheduled").map(Instant::parse));
    } catch (DateTimeException notTime) {
      throw new IOException(notTime.getMessage(), notTime);
    }
  }

  boolean isDone() {
    return state.equals("DONE");
  }

  /** Returns true if every payment of this feed is paid. Earlier feeds have the repeated ones. */
  boolean isAllPaid() {
    return isDone() && rejected == 0 && failed == 0 && cancelled == 0;
  }

  long ended() {
    return paid + failed + cancelled;
  }

  /** Returns the payments that are not made yet. */
  long open() {
    return Math.max(0, read - repeated - rejected - ended());
  }

  /**
   * Returns the time until the last payment, if it can be told: that of the last slot, or longer if
   * payments end more slowly than their slots come.
   *
   * @param endedPerSecond the rate at which payments end now
   */
  Optional<Duration> timeLeft(Instant now, double endedPerSecond) {
    if (lastScheduled.isEmpty() || assigned < read - repeated - rejected) {
      return Optional.empty();
    }
    Duration untilLastSlot = Duration.between(now, lastScheduled.get());
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
    text.append(Phrases.number(read)).append(" read, ");
    text.append(Phrases.number(rejected)).append(" rejected, ");
    text.append(Phrases.number(assigned)).append(" assigned, ");
    text.append(Phrases.number(started)).append(" started, ");
    text.append(Phrases.number(paid)).append(" paid");
    if (failed > 0) {
      text.append(", ").append(Phrases.number(failed)).append(" failed");
    }
    if (cancelled > 0) {
      text.append(", ").append(Phrases.number(cancelled)).append(" cancelled");
    }
    return text.toString();
  }

  /** Returns all that is known, a line each. */
  List<String> lines() {
    return List.of(
        "feed       " + feedId,
        "state      " + state,
        "read       " + Phrases.number(read),
        "rejected   " + Phrases.number(rejected),
        "repeated   " + Phrases.number(repeated),
        "assigned   " + Phrases.number(assigned),
        "started    " + Phrases.number(started),
        "paid       " + Phrases.number(paid),
        "failed     " + Phrases.number(failed),
        "cancelled  " + Phrases.number(cancelled),
        "first      " + firstScheduled.map(Object::toString).orElse("none"),
        "last       " + lastScheduled.map(Object::toString).orElse("none"));
  }
}
