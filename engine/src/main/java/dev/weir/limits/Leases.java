package dev.weir.limits;

import static java.util.Objects.requireNonNull;

import dev.weir.StoreException;
import dev.weir.internal.OpenGuard;
import dev.weir.limits.memory.MemoryLeaseStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.UUID;

/**
 * Limits how many callers may use a resource at the same time.
 *
 * <pre>{@code
 * Concurrency four = Concurrency.of(4, Duration.ofSeconds(30));
 * switch (leases.acquire("printer", four)) {
 *   case Leases.Acquired lease -> {
 *     try (lease) {
 *       print();
 *     }
 *   }
 *   case Leases.Full full -> refuse(full.retryAfter());
 * }
 * }</pre>
 *
 * <p>The places of a holder that crashes become free when its lease expires; a holder that takes
 * longer renews its lease. After {@link #close}, acquiring and renewing throw {@link
 * IllegalStateException}. Thread-safe.
 */
public final class Leases implements AutoCloseable {
  private final LeaseStore store;
  private final OpenGuard guard = new OpenGuard("this lease service");

  private Leases(LeaseStore store) {
    this.store = store;
  }

  /** Returns leases in the memory of this process. */
  public static Leases inMemory() {
    return on(new MemoryLeaseStore());
  }

  /** Returns leases in the memory of this process, which expire by a clock. */
  public static Leases inMemory(InstantSource clock) {
    return on(new MemoryLeaseStore(requireNonNull(clock, "clock")));
  }

  /** Returns leases in a store, which is closed with them. */
  public static Leases on(LeaseStore store) {
    return new Leases(requireNonNull(store, "store"));
  }

  /** The result of {@link #acquire}. */
  public sealed interface Outcome {}

  /**
   * Too few places are free.
   *
   * @param current the number of places held
   * @param retryAfter an upper bound: the time after which enough leases have expired if no holder
   *     renews or releases one. It depends on their times to live, not on how long holders work, so
   *     places usually become free much earlier. Callers that wait for a place try again after the
   *     usual time of the work, not after this one
   */
  public record Full(int current, Duration retryAfter) implements Outcome {}

  /** Places that are held until this is closed or the lease expires. */
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
     * Extends the lease by another time to live. Returns false if it has expired, so that others
     * may hold its places.
     *
     * @throws StoreException if the store is unavailable; the lease lasts until it expires
     */
    public boolean renew() {
      LeaseDecision.Renewal decision = leases.renew(resource, limit, lease.id());
      if (decision instanceof LeaseDecision.Unavailable unavailable) {
        throw gone(resource, unavailable);
      }
      return decision.isGranted();
    }

    /** Releases the places. May be repeated. */
    @Override
    public void close() {
      leases.release(resource, lease.id());
    }
  }

  private static StoreException gone(String resource, LeaseDecision.Unavailable unavailable) {
    return new StoreException(
        StoreException.Outcome.of(unavailable.mayBeDone()),
        "the lease store of resource " + resource + " is unavailable");
  }

  /** Acquires one place if it is free. */
  public Outcome acquire(String resource, Concurrency limit) {
    return acquire(resource, limit, 1);
  }

  /** Acquires {@code places} places if they are free. */
  public Outcome acquire(String resource, Concurrency limit, int places) {
    return switch (acquire(resource, limit, UUID.randomUUID().toString(), places)) {
      case LeaseDecision.Held held -> new Acquired(this, resource, limit, held.lease());
      case LeaseDecision.Unchecked unchecked ->
          new Acquired(this, resource, limit, unchecked.lease());
      case LeaseDecision.Full full -> new Full(full.current(), full.retryAfter());
      case LeaseDecision.Unavailable unavailable -> throw gone(resource, unavailable);
    };
  }

  /**
   * Acquires places under an id chosen by the caller. Repeating the call with the same id has no
   * further effect.
   */
  public LeaseDecision.Acquisition acquire(
      String resource, Concurrency limit, String leaseId, int places) {
    guard.requireOpen();
    return store.acquire(resource, limit, leaseId, places);
  }

  /**
   * Takes places of a resource with a known history: a store that has lost its leases can have lost
   * none of a resource that is newer than the loss, and grants it; else it waits until the lost
   * ones have expired.
   */
  public LeaseDecision.Acquisition acquire(
      String resource, Concurrency limit, String leaseId, int places, LeaseHistory history) {
    guard.requireOpen();
    return store.acquire(resource, limit, leaseId, places, history);
  }

  public LeaseDecision.Renewal renew(String resource, Concurrency limit, String leaseId) {
    guard.requireOpen();
    return store.renew(resource, limit, leaseId);
  }

  /** Takes a place in the queue of a resource, see {@link LeaseStore#join}. */
  LeaseDecision.Acquisition join(String resource, Queue queue, String ticketId) {
    guard.requireOpen();
    return store.join(resource, queue, ticketId);
  }

  /** Ends a lease. May be repeated. */
  public LeaseDecision.Release release(String resource, String leaseId) {
    return store.release(resource, leaseId);
  }

  /**
   * Lets a lease end after a delay, or when it expires if that is earlier. May be repeated, which
   * does not prolong it.
   */
  public LeaseDecision.Release releaseAfter(String resource, String leaseId, Duration delay) {
    return store.releaseAfter(resource, leaseId, delay);
  }

  /** Returns the number of places held. */
  public int current(String resource) {
    return store.current(resource);
  }

  /**
   * Returns the number of places held of a resource with a known history: all of them while leases
   * that the store has lost may still be held.
   */
  public int current(String resource, Concurrency limit, LeaseHistory history) {
    return store.current(resource, limit, history);
  }

  /** Ends all leases of a resource. */
  public void forget(String resource) {
    store.forget(resource);
  }

  /** Closes the store. No lease is granted or renewed from then on. */
  @Override
  public void close() {
    guard.close();
    store.close();
  }
}
