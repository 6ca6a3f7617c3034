package dev.weir.notifications.messages;

import dev.weir.limits.Usage;

/**
 * A user's limit and its usage, as the database had them at a moment.
 *
 * @param version number of the configuration; each change increments it
 * @param revision number of the last change of limit or usage: each configuration, and each message
 *     that is counted or withdrawn, increments it. Of two states of a user, the one with the higher
 *     revision is the newer
 * @param usage settled at {@code atMicros}
 * @param atMicros the moment, by the clock of the database
 * @param refreshedAtMicros when the limit was last free of what had been used before: the start of
 *     the current window, or, if nothing was counted in it, the end of the last one that was
 *     counted in, or the time of the configuration
 */
public record UserState(
    UserLimit limit,
    long version,
    long revision,
    Usage usage,
    long atMicros,
    long refreshedAtMicros) {

  /** Returns the units that were used in the current window. */
  public long currentCount() {
    return limit.limit().settle(usage, atMicros).used();
  }

  /** Returns the units that are available. */
  public long remaining() {
    return limit.limit().remaining(limit.limit().settle(usage, atMicros), atMicros);
  }
}
