package dev.weir.server.cli;

import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Counts the results of an import so far. Thread-safe: one thread counts, another displays. */
final class ImportTally {
  private long assigned;
  private long replayed;
  private long rejected;
  private long waiting;
  private long feedBytes;
  private @Nullable Instant first;
  private @Nullable Instant last;

  /**
   * The counts at one moment.
   *
   * @param assigned events that got a slot
   * @param replayed events that already had a slot
   * @param rejected events without a slot
   * @param waiting events to be sent again because the server's database was unavailable
   * @param feedBytes how much of the feed has results
   */
  record Counts(
      long assigned,
      long replayed,
      long rejected,
      long waiting,
      long feedBytes,
      Optional<Instant> first,
      Optional<Instant> last) {

    long answered() {
      return assigned + replayed + rejected;
    }
  }

  synchronized void assigned(Instant time, boolean isReplayed) {
    if (isReplayed) {
      replayed++;
    } else {
      assigned++;
    }
    first = first == null || time.isBefore(first) ? time : first;
    last = last == null || time.isAfter(last) ? time : last;
  }

  synchronized void rejected() {
    rejected++;
  }

  /** Adds lines that must be sent again or, if negative, removes lines that get a new result. */
  synchronized void waiting(long change) {
    waiting += change;
  }

  synchronized void feedBytes(long answeredBytes) {
    feedBytes = answeredBytes;
  }

  synchronized Counts counts() {
    return new Counts(
        assigned,
        replayed,
        rejected,
        waiting,
        feedBytes,
        Optional.ofNullable(first),
        Optional.ofNullable(last));
  }
}
