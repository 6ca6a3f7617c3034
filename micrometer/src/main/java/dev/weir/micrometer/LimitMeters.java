package dev.weir.micrometer;

import static java.util.Objects.requireNonNull;

import dev.weir.StoreException;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.CircuitBreaker;
import dev.weir.limits.Decision;
import dev.weir.limits.Delayed;
import dev.weir.limits.LimitObserver;
import dev.weir.limits.Outcome;
import dev.weir.limits.Policy;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Meters of limits: {@code weir.limits.decisions} by policy and outcome, {@code weir.limits.modes}
 * by what decided, {@code weir.store.failures} and {@code weir.store.gone} by store. Keys are no
 * tags, and of more than {@value #MAX_POLICIES} policies the later ones share the tag {@value
 * #OTHER_POLICIES}. Thread-safe.
 *
 * <pre>{@code
 * Limiter limiter = Limiter.inMemory().observedBy(new LimitMeters(registry));
 * }</pre>
 */
public final class LimitMeters implements LimitObserver {
  /** The maximum number of policies with a tag of their own. */
  public static final int MAX_POLICIES = 100;

  private static final String OTHER_POLICIES = "other";

  private final MeterRegistry registry;
  private final Map<String, Outcomes<Kind>> policies = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> gone = new ConcurrentHashMap<>();
  private final Map<AcquireResult.Mode, Counter> modes = new ConcurrentHashMap<>();
  private final Counter replayed;

  private enum Kind {
    ALLOWED,
    REFUSED,
    DELAYED
  }

  /** Registers the meters. */
  public LimitMeters(MeterRegistry registry) {
    this.registry = requireNonNull(registry, "registry");
    Counter.Builder mode =
        Counter.builder("weir.limits.modes").description("Decisions of limits by what decided");
    for (AcquireResult.Mode each : AcquireResult.Mode.values()) {
      modes.put(each, mode.withRegistry(registry).withTag("mode", Outcomes.word(each)));
    }
    this.replayed =
        Counter.builder("weir.limits.replayed")
            .description("Requests that were repeated with their id, for which nothing was taken")
            .register(registry);
  }

  @Override
  public void decided(Policy policy, Outcome outcome, AcquireResult.Mode mode) {
    outcomes(policy)
        .count(
            switch (outcome) {
              case Decision.Allowed allowed -> Kind.ALLOWED;
              case Decision.Refused refused -> Kind.REFUSED;
              case Delayed delayed -> Kind.DELAYED;
            });
    requireNonNull(modes.get(mode)).increment();
  }

  @Override
  public void taken(Policy policy, boolean isAllowed) {
    outcomes(policy).count(isAllowed ? Kind.ALLOWED : Kind.REFUSED);
  }

  @Override
  public void replayed() {
    replayed.increment();
  }

  private Outcomes<Kind> outcomes(Policy policy) {
    Outcomes<Kind> known = policies.get(policy.name());
    if (known != null) {
      return known;
    }
    // Two policies that are new at the same time may both be the last one with a tag.
    String tag = policies.size() < MAX_POLICIES ? policy.name() : OTHER_POLICIES;
    return policies.computeIfAbsent(
        tag,
        name ->
            new Outcomes<>(
                Kind.class,
                Counter.builder("weir.limits.decisions")
                    .description("Decisions of limits about requests")
                    .tag("policy", name),
                registry));
  }

  @Override
  public void storeFailed(String store, StoreException failure) {
    Counter.builder("weir.store.failures")
        .description("Requests that a store did not answer")
        .tag("store", store)
        .register(registry)
        .increment();
  }

  @Override
  public void breakerChanged(String store, CircuitBreaker.State state) {
    AtomicInteger value =
        gone.computeIfAbsent(
            store,
            name -> {
              AtomicInteger added = new AtomicInteger();
              Gauge.builder("weir.store.gone", added, AtomicInteger::get)
                  .description("1 while a store does not answer and is not called")
                  .tag("store", name)
                  .register(registry);
              return added;
            });
    switch (state) {
      case OPEN -> value.set(1);
      case CLOSED -> value.set(0);
      case HALF_OPEN -> {}
    }
  }
}
