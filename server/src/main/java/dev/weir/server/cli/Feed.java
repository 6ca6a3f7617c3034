package dev.weir.server.cli;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A stream of events to import, one at a time. Not thread-safe. */
sealed interface Feed permits NdjsonFeed, CsvFeed, AdoptCsvFeed, QueryFeed {

  /** Returns the next entry, skipping blank lines; null at the end. */
  @Nullable FeedLine next() throws IOException;

  /** Returns true if reading the next entry may block, as from a pipe. */
  boolean mayBlock() throws IOException;

  /** Returns the total bytes of the entries taken so far. */
  long consumedBytes();
}
