package dev.weir.core.limits;

import java.time.Duration;
import java.util.Optional;

/**
 * So many at the same time. Each holds a lease, and a lease that is not renewed ends by itself, so
 * that a holder that crashed gives its places back.
 */
public record Concurrency(int max, long ttlMicros) {
  public static final int MOST = 1_000_000;

  public Concurrency {
    Require.between("max", max, 1, MOST);
    Require.duration("ttl", ttlMicros);
  }

  public static Concurrency of(int max, Duration ttl) {
    return new Concurrency(max, Require.micros("ttl", ttl));
  }

  /** Gives a lease of so many places; the same id again gets the lease that it has. */
  public LiveLeases.Step acquire(LiveLeases leases, String id, int places, long nowMicros) {
    Require.between("places", places, 1, max);
    LiveLeases live = leases.at(nowMicros);
    Optional<Lease> held = live.find(id);
    if (held.isPresent()) {
      return new LiveLeases.Step(live, new LeaseDecision.Held(held.get(), live.places()));
    }
    if (places > max - live.places()) {
      int tooMany = places - (max - live.places());
      return new LiveLeases.Step(
          live, new LeaseDecision.Full(live.places(), live.waitMicros(tooMany, nowMicros)));
    }
    Lease lease = new Lease(id, places, nowMicros + ttlMicros);
    LiveLeases next = live.with(lease);
    return new LiveLeases.Step(next, new LeaseDecision.Held(lease, next.places()));
  }

  /** Lets a lease last for another time to live, if it has not ended. */
  public LiveLeases.Step renew(LiveLeases leases, String id, long nowMicros) {
    LiveLeases live = leases.at(nowMicros);
    Optional<Lease> held = live.find(id);
    if (held.isEmpty()) {
      return new LiveLeases.Step(live, new LeaseDecision.Gone(live.places()));
    }
    // A clock that stepped backwards must not shorten it.
    long expires = Math.max(held.get().expiresAtMicros(), nowMicros + ttlMicros);
    Lease renewed = new Lease(id, held.get().places(), expires);
    return new LiveLeases.Step(
        live.without(id).with(renewed), new LeaseDecision.Held(renewed, live.places()));
  }

  /** Ends a lease. Harmless if it has ended. */
  public static LiveLeases.Step release(LiveLeases leases, String id, long nowMicros) {
    LiveLeases next = leases.at(nowMicros).without(id);
    return new LiveLeases.Step(next, new LeaseDecision.Gone(next.places()));
  }
}
