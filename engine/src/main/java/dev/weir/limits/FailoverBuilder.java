package dev.weir.limits;

import static java.util.Objects.requireNonNull;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.internal.SteadyClock;
import dev.weir.limits.memory.MemoryLimitStore;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Builds a {@link Failover}. Every part but the store has a default. */
public final class FailoverBuilder {
  private final LimitStore store;
  private String name = "store";
  private Optional<LimitStore> fallback = Optional.empty();
  private FallbackLog log = FallbackLog.NONE;
  private int nodes = 1;
  private long maxLocalKeys = MemoryLimitStore.DEFAULT_MAX_KEYS;
  private CircuitBreaker.Settings breaker = CircuitBreaker.Settings.DEFAULT;
  private LimitObserver observer = LimitObserver.NONE;
  private LongSupplier nowMicros = SteadyClock.sinceStart();

  FailoverBuilder(LimitStore store) {
    this.store = requireNonNull(store, "store");
  }

  /** Sets the name of the store in metrics and messages; {@code store} by default. */
  public FailoverBuilder named(String storeName) {
    this.name = requireNonNull(storeName, "name");
    return this;
  }

  /** Sets the store for {@link OnStoreFailure#FALLBACK}. Without one, such policies refuse. */
  public FailoverBuilder fallback(LimitStore other) {
    this.fallback = Optional.of(requireNonNull(other, "fallback"));
    return this;
  }

  /**
   * Sets the log of uses of the fallback, so that those of other nodes, and those before this
   * process started, count as well. It is read by {@link #build} and after failures of the store.
   * Without one, each process knows only its own uses.
   */
  public FailoverBuilder log(FallbackLog fallbackLog) {
    this.log = requireNonNull(fallbackLog, "log");
    return this;
  }

  /** Sets the number of nodes that share a limit under {@link OnStoreFailure#LOCAL}; default 1. */
  public FailoverBuilder nodes(int count) {
    if (count < 1 || count > Limit.MAX_NODES) {
      throw new IllegalArgumentException(
          "nodes must be from 1 to %d, not %d".formatted(Limit.MAX_NODES, count));
    }
    this.nodes = count;
    return this;
  }

  /** Sets the maximum number of keys that are counted under {@link OnStoreFailure#LOCAL}. */
  public FailoverBuilder maxLocalKeys(long max) {
    if (max < 1) {
      throw new IllegalArgumentException("maxLocalKeys must be at least 1, not " + max);
    }
    this.maxLocalKeys = max;
    return this;
  }

  /** Sets when the store is no longer called, and when it is tried again. */
  public FailoverBuilder breaker(CircuitBreaker.Settings settings) {
    this.breaker = requireNonNull(settings, "breaker");
    return this;
  }

  public FailoverBuilder observer(LimitObserver receiver) {
    this.observer = requireNonNull(receiver, "observer");
    return this;
  }

  /** Sets the clock of this node, which never steps backwards. */
  public FailoverBuilder clock(InstantSource clock) {
    requireNonNull(clock, "clock");
    this.nowMicros = () -> Micros.ceil(clock.instant());
    return this;
  }

  public Failover build() {
    GuardedStore<LimitStore> guarded =
        new GuardedStore<>(name, store, breaker, observer, nowMicros);
    Consumer<StoreException> fallbackFailed =
        failure -> observer.storeFailed(name + "'s fallback", failure);
    FallbackSwitch fallbackSwitch =
        new FallbackSwitch(log, guarded.breaker(), fallbackFailed, nowMicros);
    StoreSubstitute substitute =
        new StoreSubstitute(
            guarded.breaker(),
            fallback,
            fallbackSwitch,
            new LocalShare(nowMicros, nodes, maxLocalKeys),
            fallbackFailed,
            nowMicros);
    return new Failover(guarded, fallbackSwitch, substitute);
  }
}
