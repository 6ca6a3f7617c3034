package dev.weir.server.cli;

import dev.weir.feeds.internal.RecordReader;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Counts the lines of a feed, to notice if its end is missing. A last line without a line end may
 * be a part of one, such as an id or a time that means another; it is one only if the feed is known
 * to have as many. Not thread-safe.
 */
final class LineCount {
  private final OptionalLong announced;
  private long count;

  /**
   * Creates a count of none.
   *
   * @param announced the number of lines that the feed should have; empty if unknown
   */
  LineCount(OptionalLong announced) {
    this.announced = announced;
  }

  /** Counts a line; returns why it cannot be used, or null if it can. */
  @Nullable String flaw(RecordReader.Cut cut) {
    count++;
    if (cut.flaw() != null || cut.hasLineEnd() || announced.equals(OptionalLong.of(count))) {
      return cut.flaw();
    }
    return "has no line end, so a part of it may be missing: end the line, or say --records";
  }

  /** Throws if the feed has ended with another number of lines than announced. */
  void end() throws FeedException {
    if (announced.isPresent() && announced.getAsLong() != count) {
      throw new FeedException(
          "it has %d records where --records says %d, so a part of it may be missing; those that it"
                  .formatted(count, announced.getAsLong())
              + " has were sent");
    }
  }
}
