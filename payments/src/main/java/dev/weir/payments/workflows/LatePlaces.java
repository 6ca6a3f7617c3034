package dev.weir.payments.workflows;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Places that may be taken after they were released: a statement that its caller has given up may
 * still be on its way to the store, and nothing says when it arrives. So the release is repeated
 * for as long as that is possible. A place that is taken even later ends with its lease, as does
 * one beyond the number that is remembered. Thread-safe.
 */
final class LatePlaces {
  /** The number of places that are remembered, far more than calls of a node at the same time. */
  static final int MAX = 1_000;

  /**
   * Longer than the time after which PostgreSQL ends a statement and the driver a connection,
   * together.
   */
  private static final long MAX_LATENESS_NANOS = Duration.ofMinutes(2).toNanos();

  private static final long BETWEEN_RELEASES_NANOS = Duration.ofSeconds(5).toNanos();

  private final Consumer<String> release;
  private final LongSupplier nanoTime;

  /** Places by the ids of their leases. */
  private final Map<String, Late> places = new ConcurrentHashMap<>();

  /** When a place was first released, and when that was last repeated. */
  private record Late(long firstNanos, long lastNanos) {}

  /**
   * @param release ends the lease with an id; throws if the store cannot be told
   */
  LatePlaces(Consumer<String> release, LongSupplier nanoTime) {
    this.release = release;
    this.nanoTime = nanoTime;
  }

  /** Releases a place for the first time. */
  void release(String id) {
    release.accept(id);
    // Counted from here: the store has answered, so it works off what has reached it before.
    long now = nanoTime.getAsLong();
    if (places.size() < MAX) {
      places.putIfAbsent(id, new Late(now, now));
    }
  }

  /** Repeats what is due. The last time is after the statement can no longer be executed. */
  void releaseAgain() {
    long now = nanoTime.getAsLong();
    places.forEach(
        (id, late) -> {
          if (now - late.lastNanos() >= BETWEEN_RELEASES_NANOS
              // Only one of several callers.
              && places.replace(id, late, new Late(late.firstNanos(), now))) {
            release.accept(id);
            if (now - late.firstNanos() >= MAX_LATENESS_NANOS) {
              places.remove(id);
            }
          }
        });
  }
}
