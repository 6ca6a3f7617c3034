package dev.weir.rules;

import dev.weir.StoreException;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Decision;
import dev.weir.limits.Lease;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.LeaseStore;
import dev.weir.limits.LimitStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A ticket that gives back its resources. Thread-safe once it is filled. */
final class HeldTicket implements Ticket {
  private final RuleObserver observer;

  /** Actions that give back resources at the end of the request. */
  private final List<Runnable> toTheEnd = new ArrayList<>(0);

  /**
   * Actions that give back resources if the wait is aborted; none is needed once the wait is over.
   */
  private final List<Runnable> duringTheWait = new ArrayList<>(0);

  /** Leases that this node holds during the wait, and the caller afterwards. */
  private final List<HeldLeases.ForCaller> forCaller = new ArrayList<>(0);

  private Optional<Lease> lease = Optional.empty();
  private boolean isLeftToRequestId;
  private boolean isQueued;
  private boolean isClosed;

  HeldTicket(RuleObserver observer) {
    this.observer = observer;
  }

  /** Adds the release of a lease at the end of the request. */
  synchronized void add(Runnable release) {
    toTheEnd.add(release);
  }

  synchronized void holds(Lease another) {
    if (lease.isEmpty() || another.expiresAtMicros() < lease.get().expiresAtMicros()) {
      lease = Optional.of(another);
    }
  }

  @Override
  public synchronized Optional<Lease> lease() {
    return lease;
  }

  /** Adds a lease that its caller will hold. */
  synchronized void add(HeldLeases.ForCaller another) {
    forCaller.add(another);
  }

  /**
   * Makes closing give nothing back. A client that disconnects may come back with its request id,
   * on another node and before this one notices: what it took stays taken until it is refunded with
   * that id.
   */
  synchronized void leaveToRequestId() {
    isLeftToRequestId = true;
  }

  synchronized void place(LeaseStore store, String resource, String placeId) {
    duringTheWait.add(() -> store.release(resource, placeId));
  }

  synchronized void taken(LimitStore store, AcquireRequest request, AcquireResult granted) {
    duringTheWait.add(() -> store.refund(request, granted));
  }

  /** Starts the wait of a request. */
  synchronized void queue() {
    isQueued = true;
    observer.waiting(1);
    forCaller.forEach(HeldLeases.ForCaller::keep);
  }

  @Override
  public synchronized boolean isEmpty() {
    return isLeftToRequestId || (toTheEnd.isEmpty() && duringTheWait.isEmpty());
  }

  @Override
  public synchronized void waited() {
    duringTheWait.clear();
    forCaller.forEach(HeldLeases.ForCaller::leave);
    leaveQueue();
  }

  @Override
  public Optional<RuleResult> handOver() {
    List<HeldLeases.ForCaller> leases;
    synchronized (this) {
      leases = List.copyOf(forCaller);
      lease = Optional.empty();
    }
    for (HeldLeases.ForCaller each : leases) {
      switch (handedOver(each)) {
        case LeaseDecision.Held held -> holds(held.lease());
        case LeaseDecision.Unchecked unchecked -> holds(unchecked.lease());
        case LeaseDecision.Full full -> {
          giveAllBack();
          return Optional.of(
              new RuleResult(
                  each.check(),
                  new Decision.Refused(0, full.retryAfterMicros(), full.retryAfterMicros())));
        }
        case LeaseDecision.Unavailable gone -> {
          close();
          throw new StoreException(
              StoreException.Outcome.UNKNOWN, "the lease could not be renewed after the wait");
        }
      }
    }
    waited();
    return Optional.empty();
  }

  /** A store in memory that is full takes no lease that has to be acquired again. */
  private LeaseDecision.Acquisition handedOver(HeldLeases.ForCaller lease) {
    try {
      return lease.handOver();
    } catch (StoreException e) {
      close();
      throw e;
    }
  }

  private void leaveQueue() {
    if (isQueued) {
      isQueued = false;
      observer.waiting(-1);
    }
  }

  @Override
  public void close() {
    synchronized (this) {
      if (isLeftToRequestId) {
        duringTheWait.clear();
        toTheEnd.clear();
      }
    }
    giveAllBack();
  }

  private void giveAllBack() {
    List<Runnable> all;
    boolean isBound;
    synchronized (this) {
      if (isClosed) {
        return;
      }
      isClosed = true;
      forCaller.forEach(HeldLeases.ForCaller::leave);
      all = new ArrayList<>(duringTheWait);
      all.addAll(toTheEnd);
      isBound = isLeftToRequestId;
    }
    try {
      giveBack(all, isBound);
    } finally {
      // Only after its place is free: an observer that sees no waiting request may take it.
      synchronized (this) {
        leaveQueue();
      }
    }
  }

  /**
   * Runs all actions. A failure does not prevent the others, unless they belong to a request id: as
   * long as its grant is not refunded, another node may answer with its leases.
   */
  private static void giveBack(List<Runnable> all, boolean isBound) {
    RuntimeException first = null;
    for (Runnable each : all) {
      try {
        each.run();
      } catch (RuntimeException e) {
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
        if (isBound) {
          break;
        }
      }
    }
    if (first instanceof StoreException failure) {
      // Whatever the outcome of giving back: what was taken before may still be held.
      throw failure.withOutcome(StoreException.Outcome.UNKNOWN);
    }
    if (first != null) {
      throw first;
    }
  }
}
