package dev.weir.limits;

import dev.weir.internal.Micros;
import java.time.Duration;
import java.util.Optional;

/**
 * A limit on how many places of a resource are held at the same time. Each holder has a lease, and
 * a lease that is not renewed expires, so the places of a crashed holder become free again.
 */
public record Concurrency(int max, long ttlMicros) {
  /** The maximum value of {@code max}. */
  public static final int MAX_PLACES = 1_000_000;

  public Concurrency {
    Require.between("max", max, 1, MAX_PLACES);
    Require.duration("ttl", ttlMicros);
  }

  public static Concurrency of(int max, Duration ttl) {
    return new Concurrency(max, Require.micros("ttl", ttl));
  }

  /** Returns the time after which a lease expires unless it is renewed. */
  public Duration ttl() {
    return Micros.duration(ttlMicros);
  }

  /**
   * Acquires a lease on {@code places} places if they are free. An id that already holds a lease
   * gets that lease back, unchanged.
   */
  public LiveLeases.Step<LeaseDecision.Acquisition> acquire(
      LiveLeases leases, String id, int places, long nowMicros) {
    Require.between("places", places, 1, max);
    LiveLeases live = leases.at(nowMicros);
    Optional<Lease> held = live.find(id);
    if (held.isPresent()) {
      return new LiveLeases.Step<>(live, new LeaseDecision.Held(held.get(), live.places()));
    }
    if (places > max - live.places()) {
      int excess = places - (max - live.places());
      return new LiveLeases.Step<>(
          live, new LeaseDecision.Full(live.places(), live.waitMicros(excess, nowMicros)));
    }
    Lease lease = new Lease(id, places, nowMicros + ttlMicros);
    LiveLeases next = live.with(lease);
    return new LiveLeases.Step<>(next, new LeaseDecision.Held(lease, next.places()));
  }

  /** Extends a lease by another time to live if it has not expired. */
  public LiveLeases.Step<LeaseDecision.Renewal> renew(
      LiveLeases leases, String id, long nowMicros) {
    LiveLeases live = leases.at(nowMicros);
    Optional<Lease> held = live.find(id);
    if (held.isEmpty()) {
      return new LiveLeases.Step<>(live, new LeaseDecision.Gone(live.places()));
    }
    // A clock that steps backwards must not shorten the lease.
    long expires = Math.max(held.get().expiresAtMicros(), nowMicros + ttlMicros);
    Lease renewed = new Lease(id, held.get().places(), expires);
    return new LiveLeases.Step<>(
        live.without(id).with(renewed), new LeaseDecision.Held(renewed, live.places()));
  }

  /**
   * Returns the microseconds of a delay for {@link #releaseAfter}.
   *
   * @throws IllegalArgumentException if it is not the length of a time to live
   */
  public static long delayMicros(Duration delay) {
    long micros = Require.micros("delay", delay);
    Require.duration("delay", micros);
    return micros;
  }

  /**
   * Lets a lease end after a delay, or when it expires if that is earlier. Has no effect if it has
   * already ended.
   */
  public static LiveLeases.Step<LeaseDecision.Release> releaseAfter(
      LiveLeases leases, String id, long delayMicros, long nowMicros) {
    Require.duration("delay", delayMicros);
    LiveLeases live = leases.at(nowMicros);
    Optional<Lease> held = live.find(id);
    if (held.isEmpty()) {
      return new LiveLeases.Step<>(live, new LeaseDecision.Gone(live.places()));
    }
    long expires = Math.min(held.get().expiresAtMicros(), nowMicros + delayMicros);
    Lease shortened = new Lease(id, held.get().places(), expires);
    return new LiveLeases.Step<>(
        live.without(id).with(shortened), new LeaseDecision.Held(shortened, live.places()));
  }

  /** Ends a lease. Has no effect if it has already ended. */
  public static LiveLeases.Step<LeaseDecision.Release> release(
      LiveLeases leases, String id, long nowMicros) {
    LiveLeases next = leases.at(nowMicros).without(id);
    return new LiveLeases.Step<>(next, new LeaseDecision.Gone(next.places()));
  }
}
