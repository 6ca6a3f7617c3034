package dev.weir.node.stores;

import dev.weir.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The time of the database, counted on between two reads of it, so that the wrong clock of a node
 * makes nothing late. While the database does not answer, the last time that it told is counted on.
 * Thread-safe.
 */
public final class DatabaseTime implements InstantSource {
  private static final Logger log = LoggerFactory.getLogger(DatabaseTime.class);

  /** Between two reads: clocks drift by microseconds in it, and start delays by no more. */
  private static final Duration MAX_AGE = Duration.ofSeconds(1);

  private final Supplier<Instant> database;
  private final LongSupplier nanos;
  private final ReentrantLock reading = new ReentrantLock();
  private volatile Read last;

  /**
   * What the database told.
   *
   * @param tried when it was last asked, also if it did not answer
   */
  private record Read(Instant time, long nanos, long tried) {}

  /**
   * Reads the time of the database for the first time.
   *
   * @param nanos counts nanoseconds, as {@link System#nanoTime} does
   * @throws StoreException if the database does not answer
   */
  public DatabaseTime(Supplier<Instant> database, LongSupplier nanos) {
    this.database = database;
    this.nanos = nanos;
    this.last = read();
  }

  private Read read() {
    Instant time = database.get();
    // After the answer, so that the time is late by the way of the answer and never early.
    long now = nanos.getAsLong();
    return new Read(time, now, now);
  }

  @Override
  public Instant instant() {
    if (nanos.getAsLong() - last.tried() >= MAX_AGE.toNanos() && reading.tryLock()) {
      try {
        last = read();
      } catch (StoreException e) {
        log.debug("The time is counted on without the database: {}", e.getMessage());
        last = new Read(last.time(), last.nanos(), nanos.getAsLong());
      } finally {
        reading.unlock();
      }
    }
    Read known = last;
    return known.time().plusNanos(nanos.getAsLong() - known.nanos());
  }
}
