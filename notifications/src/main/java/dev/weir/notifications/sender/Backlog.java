package dev.weir.notifications.sender;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * What a sender has before it, in the partitions that are assigned to it.
 *
 * @param messages number of records that are not done, read or not
 * @param aside number of records that were read and wait in the topic, because their users fail or
 *     have too many
 * @param oldest when the first record that was read and is not done was published; empty if none is
 */
public record Backlog(long messages, long aside, Optional<Instant> oldest) {
  public static final Backlog NONE = new Backlog(0, 0, Optional.empty());

  /** Returns how long the oldest record has waited; zero if there is none. */
  public Duration age(Instant now) {
    return oldest
        .map(published -> Duration.between(published, now))
        .filter(Duration::isPositive)
        .orElse(Duration.ZERO);
  }
}
