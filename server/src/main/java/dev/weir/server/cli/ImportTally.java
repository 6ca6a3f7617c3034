package dev.weir.server.cli;

import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Counts what an import has come to so far. Thread-safe: one thread counts, another shows. */
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
   * @param replayed events that had one before
   * @param rejected events without one
   * @param waiting events that go round again because the server lost its database
   * @param feedBytes how much of the feed is answered
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

  synchronized void assigned(Answer.Assigned answer) {
    if (answer.replayed()) {
      replayed++;
    } else {
      assigned++;
    }
    Instant time = answer.scheduledTime();
    first = first == null || time.isBefore(first) ? time : first;
    last = last == null || time.isAfter(last) ? time : last;
  }

  synchronized void rejected() {
    rejected++;
  }

  /** Some lines must go round again (or, negative, are being answered anew). */
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
