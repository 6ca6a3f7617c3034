package dev.weir.engine.limits;

import dev.weir.core.limits.Concurrency;
import dev.weir.core.limits.Lease;
import dev.weir.core.limits.LeaseDecision;
import dev.weir.engine.StoreException;
import java.time.Duration;
import java.util.UUID;

/**
 * Says how many may be at it at the same time.
 *
 * <pre>{@code
 * Concurrency four = Concurrency.of(4, Duration.ofSeconds(30));
 * switch (leases.acquire("printer", four)) {
 *   case Leases.Acquired lease -> {
 *     try (lease) {
 *       print();
 *     }
 *   }
 *   case Leases.Full full -> comeAgainIn(full.retryAfter());
 * }
 * }</pre>
 *
 * <p>A holder that dies gives its places back when its lease ends by itself; one that takes longer
 * renews. Thread-safe.
 */
public final class Leases implements AutoCloseable {
  private final LeaseStore store;

  private Leases(LeaseStore store) {
    this.store = store;
  }

  /** Leases in the memory of this process. */
  public static Leases inMemory() {
    return on(new MemoryLeaseStore());
  }

  /** Leases in a store, which is closed with them. */
  public static Leases on(LeaseStore store) {
    return new Leases(store);
  }

  /** What {@link #acquire} says. */
  public sealed interface Outcome {}

  /** All places are held. */
  public record Full(int current, Duration retryAfter) implements Outcome {}

  /** Places that are held until this is closed, or until its time is over. */
  public static final class Acquired implements Outcome, AutoCloseable {
    private final Leases leases;
    private final String resource;
    private final Concurrency limit;
    private final Lease lease;

    private Acquired(Leases leases, String resource, Concurrency limit, Lease lease) {
      this.leases = leases;
      this.resource = resource;
      this.limit = limit;
      this.lease = lease;
    }

    public String id() {
      return lease.id();
    }

    /**
     * Holds on for another time to live; false if it has ended, and others may be at it.
     *
     * @throws StoreException if the store is gone; the lease lasts until its time is over
     */
    public boolean renew() {
      LeaseDecision decision = leases.renew(resource, limit, lease.id());
      if (decision instanceof LeaseDecision.Unavailable unavailable) {
        throw gone(resource, unavailable);
      }
      return decision.isGranted();
    }

    /** Gives the places back. Twice is harmless. */
    @Override
    public void close() {
      leases.release(resource, lease.id());
    }
  }

  private static StoreException gone(String resource, LeaseDecision.Unavailable unavailable) {
    return new StoreException(
        StoreException.Outcome.of(unavailable.mayBeDone()),
        "the store of the leases of " + resource + " is gone");
  }

  /** Takes a place, if one is free. */
  public Outcome acquire(String resource, Concurrency limit) {
    return acquire(resource, limit, 1);
  }

  /** Takes so many places, if so many are free. */
  public Outcome acquire(String resource, Concurrency limit, int places) {
    return switch (acquire(resource, limit, UUID.randomUUID().toString(), places)) {
      case LeaseDecision.Held held -> new Acquired(this, resource, limit, held.lease());
      case LeaseDecision.Unchecked unchecked ->
          new Acquired(this, resource, limit, unchecked.lease());
      case LeaseDecision.Full full -> new Full(full.current(), full.retryAfter());
      case LeaseDecision.Unavailable unavailable -> throw gone(resource, unavailable);
      case LeaseDecision.Gone gone ->
          throw new IllegalStateException("a lease of " + resource + " was gone at once");
    };
  }

  /** Takes places under an id that the caller made up; the same id again changes nothing. */
  public LeaseDecision acquire(String resource, Concurrency limit, String leaseId, int places) {
    return store.acquire(resource, limit, leaseId, places);
  }

  public LeaseDecision renew(String resource, Concurrency limit, String leaseId) {
    return store.renew(resource, limit, leaseId);
  }

  /** Ends a lease. Twice is harmless. */
  public LeaseDecision release(String resource, String leaseId) {
    return store.release(resource, leaseId);
  }

  /** How many places are held. */
  public int current(String resource) {
    return store.current(resource);
  }

  @Override
  public void close() {
    store.close();
  }
}
