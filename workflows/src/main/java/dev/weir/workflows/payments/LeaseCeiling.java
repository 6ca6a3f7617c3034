package dev.weir.workflows.payments;

import dev.weir.core.internal.Micros;
import dev.weir.core.limits.Concurrency;
import dev.weir.core.limits.LeaseDecision;
import dev.weir.engine.StoreException;
import dev.weir.engine.limits.LeaseStore;
import java.time.Duration;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A hard ceiling: no more than {@code max} calls arrive within any second.
 *
 * <p>A caller takes one of {@code max} places before its call and gives it back a second after the
 * answer. A call arrives between the two, so at the end of any second every call that arrived in it
 * still holds its place, however long it took on its way. A call without an answer may still
 * arrive: its place is kept until that is no longer possible. The price is a rate of {@code max /
 * (1 s + latency)}.
 */
public final class LeaseCeiling implements Ceiling {
  private static final Logger log = LoggerFactory.getLogger(LeaseCeiling.class);
  private static final Duration SECOND = Duration.ofSeconds(1);

  /** Longer than a pause of the process between the permission and the call. */
  private static final Duration MAX_HESITATION = Duration.ofSeconds(5);

  /** A little slower than places become free, because those who are on time need some as well. */
  private static final long MICROS_PER_ROUND = 1_100_000;

  private final LeaseStore leases;
  private final String resource;
  private final Concurrency places;
  private final WaitingLine line;
  private final LongSupplier nanoTime;

  /**
   * @param resource the name of the downstream in the lease store
   * @param max maximum number of calls within any second
   * @param maxCallTime the time after which a call is given up
   * @param maxLateness the time after which a call that was given up can no longer arrive
   */
  public LeaseCeiling(
      LeaseStore leases, String resource, int max, Duration maxCallTime, Duration maxLateness) {
    this(leases, resource, max, maxCallTime.plus(maxLateness), System::nanoTime);
  }

  LeaseCeiling(
      LeaseStore leases,
      String resource,
      int max,
      Duration maxUntilArrival,
      LongSupplier nanoTime) {
    this.leases = leases;
    this.resource = resource;
    this.places = Concurrency.of(max, MAX_HESITATION.plus(maxUntilArrival).plus(SECOND));
    this.line = new WaitingLine(leases, resource + "/line", MICROS_PER_ROUND / max);
    this.nanoTime = nanoTime;
  }

  @Override
  public Admission enter(String paymentId) {
    long askedAt = nanoTime.getAsLong();
    // A new lease for each call: a call whose worker died may still arrive and needs its own place.
    String id = UUID.randomUUID().toString();
    return switch (leases.acquire(resource, places, id, 1)) {
      case LeaseDecision.Held held -> new Place(id, askedAt);
      case LeaseDecision.Full full -> new Wait(line.join(paymentId).plus(untilFree(full)));
      case LeaseDecision.Unavailable unavailable -> new Wait(unavailable.retryAfter());
      // A caller that is admitted without a lease is counted nowhere.
      case LeaseDecision.Unchecked unchecked -> new Wait(SECOND);
      case LeaseDecision.Gone gone -> new Wait(SECOND);
    };
  }

  /** Returns the time until a place is free. A call in flight usually ends before its lease. */
  private static Duration untilFree(LeaseDecision.Full full) {
    return full.retryAfter().compareTo(SECOND) < 0 ? full.retryAfter() : SECOND;
  }

  private final class Place implements Permit {
    private final String id;
    private final long askedAtNanos;

    Place(String id, long askedAtNanos) {
      this.id = id;
      this.askedAtNanos = askedAtNanos;
    }

    @Override
    public boolean isValid() {
      return nanoTime.getAsLong() - askedAtNanos < MAX_HESITATION.toNanos();
    }

    @Override
    public void answered() {
      giveBack(() -> leases.releaseAfter(resource, id, SECOND));
    }

    @Override
    public void unused() {
      giveBack(() -> leases.release(resource, id));
    }

    /** The outcome of the call is known and must not be lost; the lease ends without this too. */
    private void giveBack(Runnable step) {
      try {
        step.run();
      } catch (StoreException e) {
        log.warn(
            "A place under the ceiling of {} is kept for {}: {}",
            resource,
            Micros.duration(places.ttlMicros()),
            e.getMessage());
      }
    }
  }
}
