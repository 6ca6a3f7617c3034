package dev.weir.store.jdbc;

/**
 * The clock that decisions use: the database's own, so that skew between nodes does not matter.
 * Tests replace it.
 */
@FunctionalInterface
public interface StoreClock {
  StoreClock DATABASE = databaseMicros -> databaseMicros;

  /** Returns the time to decide by when the database's clock shows {@code databaseMicros}. */
  long micros(long databaseMicros);
}
