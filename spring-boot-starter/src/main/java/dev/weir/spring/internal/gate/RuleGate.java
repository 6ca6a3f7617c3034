package dev.weir.spring.internal.gate;

import dev.weir.StoreException;
import dev.weir.limits.Failover;
import dev.weir.limits.LeaseFailover;
import dev.weir.limits.LeaseStore;
import dev.weir.limits.LimitStore;
import dev.weir.limits.memory.MemoryLeaseStore;
import dev.weir.limits.memory.MemoryLimitStore;
import dev.weir.rules.RuleEvaluator;
import dev.weir.rules.RuleIndex;
import dev.weir.rules.Ticket;
import dev.weir.rules.TooManyRulesException;
import dev.weir.rules.matching.Request;
import dev.weir.rules.matching.internal.RepeatedHeaderException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides by the rules of this service. */
public final class RuleGate implements Gate {
  private static final Logger log = LoggerFactory.getLogger(RuleGate.class);
  private static final Executor CALLER = Runnable::run;

  private final RuleIndex index;
  private final RuleEvaluator evaluator;
  private final Stores stores;
  private final Executor threads;

  /** The stores of the rules, which the application may provide itself. */
  public record Stores(LimitStore counts, LeaseStore leases) {
    /** Returns true if a store may block. */
    public boolean isRemote() {
      return !(counts instanceof MemoryLimitStore) || !(leases instanceof MemoryLeaseStore);
    }

    /**
     * Returns these stores with failover, which follows the rules and policies if a store is
     * unavailable.
     */
    public RuleEvaluator.Stores withFailover(int nodes, FlowObserver observer) {
      if (!isRemote()) {
        return new RuleEvaluator.Stores(counts, leases, leases);
      }
      return new RuleEvaluator.Stores(
          Failover.of(counts).named("counts").nodes(nodes).observer(observer).build(),
          withFailover(LeaseFailover.OnFailure.CLOSED, observer),
          withFailover(LeaseFailover.OnFailure.OPEN, observer));
    }

    private LeaseStore withFailover(LeaseFailover.OnFailure onFailure, FlowObserver observer) {
      return LeaseFailover.of(leases).onFailure(onFailure).observer(observer).build();
    }
  }

  private RuleGate(RuleIndex index, RuleEvaluator evaluator, Stores stores, Executor threads) {
    this.index = index;
    this.evaluator = evaluator;
    this.stores = stores;
    this.threads = threads;
  }

  public static RuleGate of(RuleIndex index, RuleEvaluator evaluator, Stores stores) {
    return new RuleGate(index, evaluator, stores, CALLER);
  }

  @Override
  public CompletableFuture<Admission> admit(Request request) {
    return CompletableFuture.supplyAsync(() -> decide(request), threads);
  }

  private Admission decide(Request request) {
    try {
      return Admission.of(evaluator.decide(request));
    } catch (RepeatedHeaderException e) {
      return new Admission.Refused(List.of(), Problem.repeatedHeader(e));
    } catch (TooManyRulesException e) {
      log.error("A request is refused: {}", e.getMessage());
      return new Admission.Refused(List.of(), Problem.tooManyRules(e));
    } catch (StoreException e) {
      // A store in memory has no failover, and can be full.
      log.warn("A request is refused: {}", e.getMessage());
      return new Admission.Refused(List.of(), Problem.undecided(e.outcome()));
    }
  }

  @Override
  public void end(Ticket ticket) {
    if (!ticket.isEmpty()) {
      threads.execute(() -> close(ticket));
    }
  }

  @Override
  public void leave(CompletableFuture<Admission> decision) {
    var unused = decision.thenAccept(admission -> end(admission.ticket()));
  }

  public static void close(Ticket ticket) {
    try {
      ticket.close();
    } catch (StoreException e) {
      // The lease expires when its time is over.
      log.warn("A request could not give back what it held: {}", e.getMessage());
    }
  }

  @Override
  public Gate on(Executor others) {
    return stores.isRemote() ? new RuleGate(index, evaluator, stores, others) : this;
  }

  @Override
  public Status status() {
    Map<String, Object> details =
        Map.of("rules", index.size(), "store", stores.counts().getClass().getSimpleName());
    try {
      stores.leases().current("health");
      return new Status(details, "");
    } catch (StoreException e) {
      return new Status(details, String.valueOf(e.getMessage()));
    }
  }
}
