package dev.weir.rules;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.limits.Concurrency;
import dev.weir.limits.Lease;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.LeaseStore;
import dev.weir.limits.OnStoreFailure;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Acquires leases for rules, and holds the leases of requests in progress. It renews them, so that
 * a request that takes long keeps its place. It holds only as many leases as the requests in
 * progress have. Thread-safe.
 */
final class HeldLeases {
  /** One or two renewals may fail before the lease ends. */
  private static final int RENEWALS_IN_A_LEASE = 3;

  /** Stores send renewals together that arrive together. */
  private static final int MAX_RENEWALS_AT_A_TIME = 256;

  /** Max number of lost leases that are recorded; others end when they expire. */
  private static final int MAX_LOST = 1_000;

  /** Max number of lost leases that are ended per run, so that renewals do not wait long. */
  private static final int MAX_ENDED_PER_RUN = 50;

  private static final long MAX_ENDING_MICROS = Micros.floor(RuleEvaluator.BETWEEN_RENEWALS);

  private final Set<HeldLease> leases = ConcurrentHashMap.newKeySet();

  /** Leases that the store may have but no caller holds, because its response was lost. */
  private final BlockingQueue<HeldLease> lost = new ArrayBlockingQueue<>(MAX_LOST);

  private final RuleEvaluator.Stores stores;
  private final LongSupplier nowMicros;

  /** The party that holds a lease and renews it. */
  enum Holder {
    /** This node, which sees the end of the request. */
    NODE,
    /** The caller, with the id of the lease; this node until it has responded. */
    CALLER
  }

  /**
   * Creates an empty set of leases.
   *
   * @param nowMicros a monotonic clock of this node; only its differences are meaningful
   */
  HeldLeases(RuleEvaluator.Stores stores, LongSupplier nowMicros) {
    this.stores = stores;
    this.nowMicros = nowMicros;
  }

  /** A held lease, compared by identity. */
  private static final class HeldLease {
    private final LeaseStore store;
    private final String resource;
    private final Concurrency concurrency;
    private final String leaseId;

    /** When it was acquired, or last renewed. */
    private volatile long requestedAtMicros;

    private HeldLease(
        LeaseStore store, String resource, Concurrency concurrency, String leaseId, long now) {
      this.store = store;
      this.resource = resource;
      this.concurrency = concurrency;
      this.leaseId = leaseId;
      this.requestedAtMicros = now;
    }

    private boolean isDue(long now) {
      return now - requestedAtMicros >= concurrency.ttlMicros() / RENEWALS_IN_A_LEASE;
    }

    /**
     * Returns true if it has expired, assuming that it was last renewed when this object was
     * created.
     */
    private boolean isOver(long now) {
      return now - requestedAtMicros >= concurrency.ttlMicros();
    }

    private long endMicros() {
      return requestedAtMicros + concurrency.ttlMicros();
    }

    private HeldLease from(long now) {
      return new HeldLease(store, resource, concurrency, leaseId, now);
    }

    /**
     * Renews the lease. Retried soon if its store is unavailable: it would end if the store
     * recovered without a renewal.
     */
    private void renew(long now) {
      if (!(store.renew(resource, concurrency, leaseId) instanceof LeaseDecision.Unavailable)) {
        requestedAtMicros = now;
      }
    }
  }

  /**
   * Acquires a lease for a rule; the ticket gives it back.
   *
   * @param leaseId an id that no other evaluation has
   */
  LeaseDecision.Acquisition acquire(
      RuleCheck check,
      LimitedRule.Leased leased,
      String leaseId,
      Holder holder,
      HeldTicket ticket) {
    return acquire(check, leased, leaseId, holder, ticket, false);
  }

  /**
   * Acquires a lease.
   *
   * @param isShared true if the lease belongs to a request id. Another node may answer a repeated
   *     request with the same lease at any time, so this one must not end it later
   */
  private LeaseDecision.Acquisition acquire(
      RuleCheck check,
      LimitedRule.Leased leased,
      String leaseId,
      Holder holder,
      HeldTicket ticket,
      boolean isShared) {
    LeaseStore store = store(check);
    String resource = check.leaseResource();
    LeaseDecision.Acquisition decision =
        acquired(check, store, resource, leased.concurrency(), leaseId);
    switch (decision) {
      case LeaseDecision.Held given -> ticket.holds(given.lease());
      case LeaseDecision.Unchecked unchecked -> ticket.holds(unchecked.lease());
      case LeaseDecision.Full full -> {}
      case LeaseDecision.Unavailable gone -> {
        if (gone.mayBeDone() && !isShared) {
          var unused = lost.offer(lease(store, resource, leased, leaseId));
        }
      }
    }
    if (decision.isGranted()) {
      HeldLease lease = lease(store, resource, leased, leaseId);
      if (holder == Holder.NODE) {
        leases.add(lease);
      } else {
        ticket.add(new ForCaller(check, lease));
      }
      ticket.add(
          () -> {
            leases.remove(lease);
            end(lease, isShared);
          });
    }
    return decision;
  }

  /**
   * Renews the lease of a repeated request, or acquires it again if it has ended. The ticket gives
   * back only what is acquired here.
   */
  LeaseDecision.Acquisition acquireAgain(
      RuleCheck check,
      LimitedRule.Leased leased,
      String leaseId,
      Holder holder,
      HeldTicket ticket) {
    return switch (renew(check, leased, leaseId)) {
      case LeaseDecision.Held held -> {
        keeps(ticket, held.lease(), check, leased);
        yield held;
      }
      case LeaseDecision.Unchecked unchecked -> {
        keeps(ticket, unchecked.lease(), check, leased);
        yield unchecked;
      }
      case LeaseDecision.Gone gone -> acquire(check, leased, leaseId, holder, ticket, true);
      case LeaseDecision.Unavailable unavailable -> unavailable;
    };
  }

  private void keeps(HeldTicket ticket, Lease given, RuleCheck check, LimitedRule.Leased leased) {
    ticket.holds(given);
    ticket.add(
        new ForCaller(check, lease(store(check), check.leaseResource(), leased, given.id())));
  }

  private HeldLease lease(
      LeaseStore store, String resource, LimitedRule.Leased leased, String leaseId) {
    return new HeldLease(store, resource, leased.concurrency(), leaseId, nowMicros.getAsLong());
  }

  /** A lease that its caller will hold, and this node holds while the caller waits in a queue. */
  final class ForCaller {
    private final RuleCheck check;
    private final HeldLease lease;

    private ForCaller(RuleCheck check, HeldLease lease) {
      this.check = check;
      this.lease = lease;
    }

    RuleCheck check() {
      return check;
    }

    /** Starts to renew the lease. */
    void keep() {
      leases.add(lease);
    }

    /** Stops renewing the lease. */
    void leave() {
      leases.remove(lease);
    }

    /** Renews the lease for the last time, or acquires it again if it has ended. */
    LeaseDecision.Acquisition handOver() {
      leave();
      return switch (lease.store.renew(lease.resource, lease.concurrency, lease.leaseId)) {
        case LeaseDecision.Held held -> held;
        case LeaseDecision.Unchecked unchecked -> unchecked;
        case LeaseDecision.Unavailable unavailable -> unavailable;
        case LeaseDecision.Gone gone ->
            acquired(check, lease.store, lease.resource, lease.concurrency, lease.leaseId);
      };
    }
  }

  /** Acquires a lease. If a store in memory is full, leases of open rules are granted uncounted. */
  private static LeaseDecision.Acquisition acquired(
      RuleCheck check, LeaseStore store, String resource, Concurrency concurrency, String leaseId) {
    int places = Math.toIntExact(check.cost());
    try {
      return store.acquire(resource, concurrency, leaseId, places, check.rule().leaseHistory());
    } catch (StoreException e) {
      if (!e.isFull() || check.rule().spec().onStoreFailure() != OnStoreFailure.OPEN) {
        throw e;
      }
      long now = Micros.ceil(Instant.now());
      return new LeaseDecision.Unchecked(new Lease(leaseId, places, now + concurrency.ttlMicros()));
    }
  }

  /** Renews a lease that its caller holds. */
  LeaseDecision.Renewal renew(RuleCheck check, LimitedRule.Leased leased, String leaseId) {
    return store(check).renew(check.leaseResource(), leased.concurrency(), leaseId);
  }

  /** Ends a lease that its caller holds. */
  LeaseDecision.Release release(RuleCheck check, String leaseId) {
    return store(check).release(check.leaseResource(), leaseId);
  }

  /** Returns the number of places held for the key of a check. */
  int current(RuleCheck check, LimitedRule.Leased leased) {
    return store(check)
        .current(check.leaseResource(), leased.concurrency(), check.rule().leaseHistory());
  }

  private LeaseStore store(RuleCheck check) {
    return check.rule().spec().onStoreFailure() == OnStoreFailure.OPEN
        ? stores.openLeases()
        : stores.leases();
  }

  /** Ends a lease; if the store is unavailable later, or when it expires if it is shared. */
  private void end(HeldLease lease, boolean isShared) {
    LeaseDecision.Release ended = lease.store.release(lease.resource, lease.leaseId);
    if (ended instanceof LeaseDecision.Unavailable && !isShared) {
      var unused = lost.offer(lease.from(nowMicros.getAsLong()));
    }
  }

  /**
   * Ends leases that the store may have but no caller holds; they would block their places. With a
   * slow store, the rest is left to the next runs, so that renewals do not wait for it.
   */
  private void endLost() {
    long began = nowMicros.getAsLong();
    for (int i = 0;
        i < MAX_ENDED_PER_RUN && nowMicros.getAsLong() - began < MAX_ENDING_MICROS;
        i++) {
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
   * Renews the leases for which a third of their time to live has passed since the last renewal,
   * and ends lost leases. Those that end first are renewed first, and many at a time: with a slow
   * store, some would otherwise end before their turn.
   *
   * @throws StoreException the first failure, after all were tried
   */
  void renew() {
    long now = nowMicros.getAsLong();
    Queue<HeldLease> due =
        leases.stream()
            .filter(lease -> lease.isDue(now))
            .sorted(Comparator.comparingLong(HeldLease::endMicros))
            .collect(Collectors.toCollection(ConcurrentLinkedQueue::new));
    AtomicReference<@Nullable StoreException> failure = new AtomicReference<>();
    Runnable renewal = () -> renewAll(due, failure);
    int more = Math.min(due.size(), MAX_RENEWALS_AT_A_TIME) - 1;
    if (more > 0) {
      try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        List<Future<?>> started = new ArrayList<>(more);
        for (int i = 0; i < more; i++) {
          started.add(threads.submit(renewal));
        }
        renewal.run();
        started.forEach(HeldLeases::await);
      }
    } else {
      renewal.run();
    }
    StoreException first = failure.get();
    if (first != null) {
      throw first;
    }
    endLost();
  }

  private void renewAll(
      Queue<HeldLease> due, AtomicReference<@Nullable StoreException> firstFailure) {
    for (HeldLease lease = due.poll(); lease != null; lease = due.poll()) {
      // Its request may have ended meanwhile.
      if (leases.contains(lease)) {
        try {
          lease.renew(nowMicros.getAsLong());
        } catch (StoreException e) {
          firstFailure.compareAndSet(null, e);
        }
      }
    }
  }

  /** Waits for a thread, and throws what it has thrown. */
  private static void await(Future<?> thread) {
    try {
      var unused = thread.get();
    } catch (InterruptedException e) {
      // The node ends; closing the threads interrupts them.
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      throw new IllegalStateException("a renewal failed", e.getCause());
    }
  }
}
