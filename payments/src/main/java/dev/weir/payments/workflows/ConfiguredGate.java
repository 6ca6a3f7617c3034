package dev.weir.payments.workflows;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.limits.Concurrency;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.LeaseStore;
import dev.weir.payments.Payment;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.planning.internal.OpenTimes;
import dev.weir.slots.planning.internal.PolicyTimes;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the slot configurations as they are when a call would be made. None is made during a
 * pause or outside of the opening hours. If calls are paced, no more than {@code maxPerWindow} of a
 * configuration are sent within any interval of the length of its window, late and repeated ones
 * included: slots alone cannot promise that, because after an outage the payments of many windows
 * are due together.
 *
 * <p>The pace is held by leases. Each call takes one of {@code maxPerWindow} places before it is
 * sent. One that is late or repeated gives it back a window after its answer, so all of them that
 * have arrived within any window hold their places at its end, as in {@link LeaseCeiling}; the
 * price is a rate of {@code maxPerWindow / (window + latency)}. One that is on time gives it back a
 * window after it was sent, because at that price a feed would be slower than its slots.
 */
public final class ConfiguredGate implements CallGate {
  private static final Logger log = LoggerFactory.getLogger(ConfiguredGate.class);

  /** A pause may be ended before its time, which is noticed after this time. */
  private static final Duration MAX_WAIT = Duration.ofMinutes(5);

  private static final Duration NO_STORE_WAIT = Duration.ofSeconds(1);

  /** Between two callers of the line of a configuration. */
  private static final long MAX_DELAY_MICROS = Micros.floor(Duration.ofSeconds(1));

  /** A wait for a place that a thread is held for. */
  private static final Duration MAX_SHORT_WAIT = Duration.ofMillis(250);

  private static final int MAX_SHORT_WAITS = 16;

  private static final String RESOURCE = "payments/pace/";

  private final Function<String, Optional<SlotPolicy>> policies;
  private final Optional<LeaseStore> leases;
  private final Duration maxHold;
  private final Semaphore shortWaits = new Semaphore(MAX_SHORT_WAITS);

  private ConfiguredGate(
      Function<String, Optional<SlotPolicy>> policies,
      Optional<LeaseStore> leases,
      Duration maxHold) {
    this.policies = policies;
    this.leases = leases;
    this.maxHold = maxHold;
  }

  /**
   * Returns a gate that also holds the pace.
   *
   * @param policies returns the policy of a configuration that is in force
   * @param leases where the calls of all nodes are counted
   * @param maxCall max time of a call
   */
  public static ConfiguredGate paced(
      Function<String, Optional<SlotPolicy>> policies, LeaseStore leases, Duration maxCall) {
    return new ConfiguredGate(
        policies, Optional.of(leases), LeaseCeiling.MAX_HESITATION.plus(maxCall));
  }

  /** Returns a gate for pauses and opening hours only. */
  public static ConfiguredGate unpaced(Function<String, Optional<SlotPolicy>> policies) {
    return new ConfiguredGate(policies, Optional.empty(), Duration.ZERO);
  }

  @Override
  public Passage enter(Payment payment, Instant now, boolean isLate) {
    Optional<SlotPolicy> policy = policies.apply(payment.configName());
    if (policy.isEmpty()) {
      // Nothing is in force. A payment that has no slot either waits for one elsewhere.
      return Open.UNCOUNTED;
    }
    Duration closed = untilOpen(policy.get(), Micros.ceil(now));
    if (!closed.isZero()) {
      return new Closed(closed.compareTo(MAX_WAIT) > 0 ? MAX_WAIT : closed);
    }
    return leases.isEmpty()
        ? Open.UNCOUNTED
        : pace(
            new Pace(leases.get(), RESOURCE + payment.configName(), policy.get(), maxHold, isLate),
            payment.paymentId());
  }

  private static Duration untilOpen(SlotPolicy policy, long nowMicros) {
    long from = Math.max(nowMicros, PolicyTimes.pausedUntilMicros(policy));
    long open = Math.max(from, OpenTimes.at(policy.calendar(), from).fromMicros());
    return open > Micros.LATEST ? MAX_WAIT : Micros.duration(open - nowMicros);
  }

  /**
   * Takes a place. At a full pace, a place often becomes free a moment later, because payments do
   * not start at exactly their slots; some wait for it here, which is cheaper than a timer.
   */
  private Passage pace(Pace pace, String paymentId) {
    Passage first = pace.enter();
    if (!(first instanceof Closed closed)) {
      return first;
    }
    Passage last = closed;
    if (closed.duration().compareTo(MAX_SHORT_WAIT) <= 0 && shortWaits.tryAcquire()) {
      try {
        Thread.sleep(closed.duration().plusMillis(1));
        last = pace.enter();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        shortWaits.release();
      }
    }
    return last instanceof Closed still
        ? new Closed(pace.line().join(paymentId).plus(still.duration()))
        : last;
  }

  /** The pace of a configuration. */
  private record Pace(
      LeaseStore leases, String resource, SlotPolicy policy, Duration maxHold, boolean isLate) {
    Passage enter() {
      String id = UUID.randomUUID().toString();
      Concurrency places = Concurrency.of(max(), policy.window().plus(maxHold));
      return switch (leases.acquire(resource, places, id, 1)) {
        case LeaseDecision.Held held -> new Place(this, id);
        case LeaseDecision.Full full -> new Closed(full.retryAfter());
        case LeaseDecision.Unavailable unavailable -> new Closed(unavailable.retryAfter());
        // Without a lease the call would be counted nowhere.
        case LeaseDecision.Unchecked unchecked -> new Closed(NO_STORE_WAIT);
      };
    }

    private int max() {
      return Math.min(policy.maxPerWindow(), Concurrency.MAX_PLACES);
    }

    WaitingLine line() {
      long delay = Math.clamp(policy.windowMicros() / max(), 1, MAX_DELAY_MICROS);
      return new WaitingLine(leases, resource + "/line", delay);
    }
  }

  /**
   * A place that was taken for longer than the call may take, and is kept for a window after it.
   */
  private record Place(Pace pace, String id) implements Open {
    @Override
    public void called(Duration ago) {
      Duration window = pace.policy().window();
      // Clocks may count nanoseconds, stores do not.
      Duration left = pace.isLate() ? window : window.minus(ago.truncatedTo(ChronoUnit.MICROS));
      inStore(
          left.compareTo(SlotPolicy.MIN_WINDOW) < 0
              ? () -> pace.leases().release(pace.resource(), id)
              : () -> pace.leases().releaseAfter(pace.resource(), id, left));
    }

    @Override
    public void notCalled() {
      inStore(() -> pace.leases().release(pace.resource(), id));
    }

    /** If this fails, the place is kept for longer than needed. */
    private static void inStore(Runnable step) {
      try {
        step.run();
      } catch (StoreException e) {
        log.debug("A place of a call is kept for longer than needed: {}", e.getMessage());
      }
    }
  }
}
