package dev.weir.rules;

import dev.weir.limits.Concurrency;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.LeaseStore;
import dev.weir.limits.Queue;
import java.time.Duration;

/** A lease store in which something happens at a moment that the test chooses, once. */
final class HookedLeases implements LeaseStore {
  private final LeaseStore store;
  private Runnable beforeAcquire = () -> {};
  private Runnable afterAcquire = () -> {};
  private Runnable beforeRenew = () -> {};

  HookedLeases(LeaseStore store) {
    this.store = store;
  }

  synchronized void beforeAcquire(Runnable hook) {
    beforeAcquire = hook;
  }

  synchronized void afterAcquire(Runnable hook) {
    afterAcquire = hook;
  }

  synchronized void beforeRenew(Runnable hook) {
    beforeRenew = hook;
  }

  private Runnable takeBeforeAcquire() {
    synchronized (this) {
      Runnable hook = beforeAcquire;
      beforeAcquire = () -> {};
      return hook;
    }
  }

  private Runnable takeAfterAcquire() {
    synchronized (this) {
      Runnable hook = afterAcquire;
      afterAcquire = () -> {};
      return hook;
    }
  }

  private Runnable takeBeforeRenew() {
    synchronized (this) {
      Runnable hook = beforeRenew;
      beforeRenew = () -> {};
      return hook;
    }
  }

  @Override
  public LeaseDecision.Acquisition acquire(
      String resource, Concurrency limit, String leaseId, int places) {
    takeBeforeAcquire().run();
    LeaseDecision.Acquisition decision = store.acquire(resource, limit, leaseId, places);
    takeAfterAcquire().run();
    return decision;
  }

  @Override
  public LeaseDecision.Renewal renew(String resource, Concurrency limit, String leaseId) {
    takeBeforeRenew().run();
    return store.renew(resource, limit, leaseId);
  }

  @Override
  public LeaseDecision.Release release(String resource, String leaseId) {
    return store.release(resource, leaseId);
  }

  @Override
  public LeaseDecision.Release releaseAfter(String resource, String leaseId, Duration delay) {
    return store.releaseAfter(resource, leaseId, delay);
  }

  @Override
  public int current(String resource) {
    return store.current(resource);
  }

  @Override
  public LeaseDecision.Acquisition join(String resource, Queue queue, String ticketId) {
    return store.join(resource, queue, ticketId);
  }

  @Override
  public void forget(String resource) {
    store.forget(resource);
  }

  @Override
  public void close() {
    store.close();
  }
}
