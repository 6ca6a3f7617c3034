package dev.weir.engine.rules;

import dev.weir.core.Micros;
import dev.weir.core.limits.Concurrency;
import dev.weir.core.limits.Lease;
import dev.weir.core.limits.LeaseDecision;
import dev.weir.engine.StoreException;
import dev.weir.engine.limits.LeaseStore;
import dev.weir.engine.limits.OnStoreFailure;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Takes leases by rules, and holds those of requests that have passed and are not done: as many as
 * are under way. They are renewed, so that a request that takes long keeps its place. Thread-safe.
 */
final class HeldLeases {
  /** A renewal may fail once or twice before the lease has ended. */
  private static final int RENEWALS_IN_A_LEASE = 3;

  private final Set<HeldLease> leases = ConcurrentHashMap.newKeySet();
  private final RuleDesk.Stores stores;
  private final LongSupplier nowMicros;

  /** Who keeps a lease, and renews it. */
  enum Holder {
    /** This node, which sees when the request is over. */
    NODE,
    /** Who asked, by an id that it knows: that of its request. */
    CALLER
  }

  /**
   * @param nowMicros a clock of this node that never steps; only its differences mean something
   */
  HeldLeases(RuleDesk.Stores stores, LongSupplier nowMicros) {
    this.stores = stores;
    this.nowMicros = nowMicros;
  }

  /** One of them, which is the same as itself only. */
  private static final class HeldLease {
    private final LeaseStore store;
    private final String resource;
    private final Concurrency concurrency;
    private final String leaseId;
    private volatile long askedAtMicros;

    private HeldLease(
        LeaseStore store, String resource, Concurrency concurrency, String leaseId, long now) {
      this.store = store;
      this.resource = resource;
      this.concurrency = concurrency;
      this.leaseId = leaseId;
      this.askedAtMicros = now;
    }

    private boolean isDue(long now) {
      return now - askedAtMicros >= concurrency.ttlMicros() / RENEWALS_IN_A_LEASE;
    }

    /** Tried again soon if its store is gone: it ends if the store comes back without a renewal. */
    private void renew(long now) {
      if (!(store.renew(resource, concurrency, leaseId) instanceof LeaseDecision.Unavailable)) {
        askedAtMicros = now;
      }
    }
  }

  /** Takes a lease by a rule; the ticket gives it back. */
  LeaseDecision acquire(
      Asked asked, LimitedRule.Leased leased, String leaseId, Holder holder, HeldTicket ticket) {
    LeaseStore store = store(asked);
    String resource = RuleDesk.resourceOfLeases(asked.rule(), asked.key());
    LeaseDecision decision = acquired(asked, store, resource, leased.concurrency(), leaseId);
    switch (decision) {
      case LeaseDecision.Held given -> ticket.holds(given.lease());
      case LeaseDecision.Unchecked unchecked -> ticket.holds(unchecked.lease());
      case LeaseDecision.Full full -> {}
      case LeaseDecision.Gone gone -> {}
      case LeaseDecision.Unavailable gone -> {}
    }
    if (decision.isGranted()) {
      ticket.add(
          switch (holder) {
            case NODE -> hold(store, resource, leased.concurrency(), leaseId);
            case CALLER -> () -> store.release(resource, leaseId);
          });
    }
    return decision;
  }

  /** A store in memory may be full: then no one counts the leases of rules that are open. */
  private static LeaseDecision acquired(
      Asked asked, LeaseStore store, String resource, Concurrency concurrency, String leaseId) {
    int places = Math.toIntExact(asked.cost());
    try {
      return store.acquire(resource, concurrency, leaseId, places, asked.rule().rule().createdAt());
    } catch (StoreException e) {
      if (!e.isFull() || asked.rule().terms().onStoreFailure() != OnStoreFailure.OPEN) {
        throw e;
      }
      long now = Micros.ceil(Instant.now());
      return new LeaseDecision.Unchecked(new Lease(leaseId, places, now + concurrency.ttlMicros()));
    }
  }

  /** Renews a lease that its caller holds. */
  LeaseDecision renew(Asked asked, LimitedRule.Leased leased, String leaseId) {
    return store(asked)
        .renew(RuleDesk.resourceOfLeases(asked.rule(), asked.key()), leased.concurrency(), leaseId);
  }

  private LeaseStore store(Asked asked) {
    return asked.rule().terms().onStoreFailure() == OnStoreFailure.OPEN
        ? stores.openLeases()
        : stores.leases();
  }

  /** Holds a lease; what is returned ends it. */
  private Runnable hold(
      LeaseStore store, String resource, Concurrency concurrency, String leaseId) {
    HeldLease lease = new HeldLease(store, resource, concurrency, leaseId, nowMicros.getAsLong());
    leases.add(lease);
    return () -> {
      leases.remove(lease);
      store.release(resource, leaseId);
    };
  }

  /**
   * Renews those that have lasted a third of their time since they were asked for.
   *
   * @throws StoreException the first failure, after all were tried
   */
  void renew() {
    Optional<StoreException> failure = Optional.empty();
    for (HeldLease lease : leases) {
      long now = nowMicros.getAsLong();
      if (lease.isDue(now)) {
        try {
          lease.renew(now);
        } catch (StoreException e) {
          failure = failure.or(() -> Optional.of(e));
        }
      }
    }
    if (failure.isPresent()) {
      throw failure.get();
    }
  }
}
