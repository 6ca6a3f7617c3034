package dev.weir.server.cli;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A stream of events to be imported, one at a time. Not thread-safe. */
sealed interface Feed permits NdjsonFeed, CsvFeed {

  /** The next entry, past blank lines; null at the end. */
  @Nullable FeedLine next() throws IOException;

  /** Whether the next entry may have to be waited for, as from a pipe. */
  boolean mayBlock() throws IOException;

  /** How many bytes the entries taken so far make up. */
  long consumedBytes();
}
