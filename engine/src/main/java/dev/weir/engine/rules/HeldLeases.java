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
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Takes leases by rules, and holds those of requests that have passed and are not done: as many as
 * are under way. They are renewed, so that a request that takes long keeps its place. Thread-safe.
 */
final class HeldLeases {
  /** A renewal may fail once or twice before the lease has ended. */
  private static final int RENEWALS_IN_A_LEASE = 3;

  /** So many leases are remembered that may be held by nobody; further ones end by their time. */
  private static final int MOST_LOST = 1_000;

  /** So many of them are ended at a time, for the renewals of others must not wait long. */
  private static final int MOST_ENDED_AT_A_TIME = 50;

  private final Set<HeldLease> leases = ConcurrentHashMap.newKeySet();

  /** Leases that the store may have, and no caller knows of: its answer was lost. */
  private final BlockingQueue<HeldLease> lost = new ArrayBlockingQueue<>(MOST_LOST);

  private final RuleDesk.Stores stores;
  private final LongSupplier nowMicros;

  /** Who keeps a lease, and renews it. */
  enum Holder {
    /** This node, which sees when the request is over. */
    NODE,
    /** The caller, by the id of the lease; this node until it has answered. */
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

    /** Whether it has ended by now, if it was last asked for when it was made. */
    private boolean isOver(long now) {
      return now - askedAtMicros >= concurrency.ttlMicros();
    }

    private HeldLease from(long now) {
      return new HeldLease(store, resource, concurrency, leaseId, now);
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
      case LeaseDecision.Unavailable gone -> {
        if (gone.mayBeDone()) {
          var unused = lost.offer(lease(store, resource, leased, leaseId));
        }
      }
    }
    if (decision.isGranted()) {
      HeldLease lease = lease(store, resource, leased, leaseId);
      if (holder == Holder.NODE) {
        leases.add(lease);
      } else {
        ticket.add(new ForCaller(asked, lease));
      }
      ticket.add(
          () -> {
            leases.remove(lease);
            end(lease);
          });
    }
    return decision;
  }

  /**
   * Renews the lease of a request that is repeated, or takes it again if it has ended. Only what is
   * taken here is given back by the ticket.
   */
  LeaseDecision acquireAgain(
      Asked asked, LimitedRule.Leased leased, String leaseId, Holder holder, HeldTicket ticket) {
    LeaseDecision decision = renew(asked, leased, leaseId);
    if (decision instanceof LeaseDecision.Gone) {
      return acquire(asked, leased, leaseId, holder, ticket);
    }
    switch (decision) {
      case LeaseDecision.Held given -> ticket.holds(given.lease());
      case LeaseDecision.Unchecked unchecked -> ticket.holds(unchecked.lease());
      case LeaseDecision.Full full -> {}
      case LeaseDecision.Gone gone -> {}
      case LeaseDecision.Unavailable gone -> {}
    }
    if (decision.isGranted()) {
      String resource = RuleDesk.resourceOfLeases(asked.rule(), asked.key());
      ticket.add(new ForCaller(asked, lease(store(asked), resource, leased, leaseId)));
    }
    return decision;
  }

  private HeldLease lease(
      LeaseStore store, String resource, LimitedRule.Leased leased, String leaseId) {
    return new HeldLease(store, resource, leased.concurrency(), leaseId, nowMicros.getAsLong());
  }

  /** A lease that its caller will hold, and this node while the caller waits in a queue. */
  final class ForCaller {
    private final Asked asked;
    private final HeldLease lease;

    private ForCaller(Asked asked, HeldLease lease) {
      this.asked = asked;
      this.lease = lease;
    }

    Asked asked() {
      return asked;
    }

    /** From now on the lease is renewed. */
    void keep() {
      leases.add(lease);
    }

    /** From now on the lease is no longer renewed. */
    void leave() {
      leases.remove(lease);
    }

    /** Renews the lease for the last time; one that has ended is taken again. */
    LeaseDecision handOver() {
      leave();
      LeaseDecision renewed = lease.store.renew(lease.resource, lease.concurrency, lease.leaseId);
      return renewed instanceof LeaseDecision.Gone
          ? acquired(asked, lease.store, lease.resource, lease.concurrency, lease.leaseId)
          : renewed;
    }
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

  /** Ends a lease; if the store is gone, later. */
  private void end(HeldLease lease) {
    if (lease.store.release(lease.resource, lease.leaseId) instanceof LeaseDecision.Unavailable) {
      var unused = lost.offer(lease.from(nowMicros.getAsLong()));
    }
  }

  /** Ends leases that the store may have and no caller knows of, or they block their places. */
  private void endLost() {
    for (int i = 0; i < MOST_ENDED_AT_A_TIME; i++) {
      HeldLease lease = lost.poll();
      if (lease == null) {
        return;
      }
      if (!lease.isOver(nowMicros.getAsLong())
          && lease.store.release(lease.resource, lease.leaseId)
              instanceof LeaseDecision.Unavailable) {
        var unused = lost.offer(lease);
        return;
      }
    }
  }

  /**
   * Renews those that have lasted a third of their time since they were asked for, and ends those
   * that were lost.
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
    endLost();
  }
}
