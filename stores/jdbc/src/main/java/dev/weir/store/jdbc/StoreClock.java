package dev.weir.store.jdbc;

/**
 * Which time counts. The database's own, so that skew between nodes cannot matter; tests put theirs
 * in its place.
 */
@FunctionalInterface
public interface StoreClock {
  StoreClock OF_THE_DATABASE = databaseMicros -> databaseMicros;

  /** The time that counts when the database says that it is {@code databaseMicros}. */
  long micros(long databaseMicros);
}
