package dev.weir.spring;

import dev.weir.engine.StoreException;
import dev.weir.engine.limits.Failover;
import dev.weir.engine.limits.LeaseFailover;
import dev.weir.engine.limits.LeaseStore;
import dev.weir.engine.limits.LimitStore;
import dev.weir.engine.limits.memory.MemoryLeaseStore;
import dev.weir.engine.limits.memory.MemoryLimitStore;
import dev.weir.engine.rules.RepeatedHeaderException;
import dev.weir.engine.rules.Request;
import dev.weir.engine.rules.RuleEvaluator;
import dev.weir.engine.rules.RuleIndex;
import dev.weir.engine.rules.Ticket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides by the rules of this service. */
final class RuleGate implements Gate {
  private static final Logger log = LoggerFactory.getLogger(RuleGate.class);
  private static final Executor CALLER = Runnable::run;

  private final RuleIndex book;
  private final RuleEvaluator desk;
  private final Stores stores;
  private final Executor threads;

  /** The stores of the rules, which the application may provide itself. */
  record Stores(LimitStore counts, LeaseStore leases) {
    /** Returns true if a store may block. */
    boolean isElsewhere() {
      return !(counts instanceof MemoryLimitStore) || !(leases instanceof MemoryLeaseStore);
    }

    /**
     * Returns these stores with failover, which follows the rules and policies if a store is
     * unavailable.
     */
    RuleEvaluator.Stores goingOn(int nodes, FlowObserver observer) {
      if (!isElsewhere()) {
        return new RuleEvaluator.Stores(counts, leases, leases);
      }
      return new RuleEvaluator.Stores(
          Failover.of(counts).named("counts").nodes(nodes).observer(observer).build(),
          goingOn(LeaseFailover.OnFailure.CLOSED, observer),
          goingOn(LeaseFailover.OnFailure.OPEN, observer));
    }

    private LeaseStore goingOn(LeaseFailover.OnFailure onFailure, FlowObserver observer) {
      return LeaseFailover.of(leases).onFailure(onFailure).observer(observer).build();
    }
  }

  private RuleGate(RuleIndex book, RuleEvaluator desk, Stores stores, Executor threads) {
    this.book = book;
    this.desk = desk;
    this.stores = stores;
    this.threads = threads;
  }

  static RuleGate of(RuleIndex book, RuleEvaluator desk, Stores stores) {
    return new RuleGate(book, desk, stores, CALLER);
  }

  @Override
  public CompletableFuture<Admission> ask(Request request) {
    return CompletableFuture.supplyAsync(() -> decide(request), threads);
  }

  private Admission decide(Request request) {
    try {
      return Admission.of(desk.decide(request));
    } catch (RepeatedHeaderException e) {
      return new Admission.Refused(List.of(), Problem.repeatedHeader(e));
    }
  }

  @Override
  public void over(Ticket ticket) {
    if (!ticket.isEmpty()) {
      threads.execute(() -> close(ticket));
    }
  }

  static void close(Ticket ticket) {
    try {
      ticket.close();
    } catch (StoreException e) {
      // The lease expires when its time is over.
      log.warn("A request could not give back what it held: {}", e.getMessage());
    }
  }

  @Override
  public Gate on(Executor others) {
    return stores.isElsewhere() ? new RuleGate(book, desk, stores, others) : this;
  }

  @Override
  public Standing standing() {
    Map<String, Object> details =
        Map.of("rules", book.size(), "store", stores.counts().getClass().getSimpleName());
    try {
      stores.leases().current("health");
      return new Standing(details, "");
    } catch (StoreException e) {
      return new Standing(details, String.valueOf(e.getMessage()));
    }
  }
}
