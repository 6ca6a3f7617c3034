package dev.weir.payments.server.cli;

import dev.weir.payments.FeedRecord;
import dev.weir.payments.feed.internal.FeedException;
import dev.weir.payments.feed.internal.FeedFormat;
import dev.weir.payments.feed.internal.FeedReader;
import dev.weir.payments.feed.internal.FeedTotals;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Counts what the file of a feed has, so that the server notices if not all of it arrives. */
final class FileTotals {
  private FileTotals() {}

  /**
   * Returns what a feed is announced with: what the user says, and for the rest what the file has.
   *
   * <p>A last line without a line end may be a part of a record, in any file. Only a number of
   * records that the user gives makes it a record, so none is counted for such a file.
   */
  static FeedTotals of(Path file, FeedFormat format, FeedTotals given) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      FeedReader reader =
          FeedReader.open(in, format, new FeedTotals(given.records(), Optional.empty()));
      Optional<FeedRecord> next = reader.next();
      while (next.isPresent()) {
        next = reader.next();
      }
      FeedTotals counted = reader.totals();
      boolean isCounted = given.records().isEmpty() && !reader.endsInALine();
      return new FeedTotals(
          isCounted ? counted.records() : given.records(),
          given.controlSum().isPresent() ? given.controlSum() : counted.controlSum());
    } catch (FeedException e) {
      // The server refuses it, and says why.
      return given;
    }
  }
}
