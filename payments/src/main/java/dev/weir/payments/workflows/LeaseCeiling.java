package dev.weir.payments.workflows;

import dev.weir.StoreException;
import dev.weir.limits.Concurrency;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.LeaseStore;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A hard ceiling: no more than {@code max} calls arrive within any second.
 *
 * <p>A caller takes one of {@code max} places before its call and gives it back a second after the
 * answer. A call arrives between the two, so at the end of any second every call that arrived in it
 * still holds its place, however long it took on its way. The price is a rate of {@code max / (1 s
 * + latency)}.
 *
 * <p>A call without an answer may still arrive. Time alone does not end that: a downstream that is
 * suspended looks at all of its calls when it goes on. So the place is kept until the downstream
 * answers after all, until the connection ends, or until the downstream has decided about a payment
 * whose call was sent later; after the latter two, for as long as a call may be late. Only if none
 * of this happens for as long as a downstream may pause, the place is free again.
 *
 * <p>A place is therefore taken for all of that time at once, and only ever shortened: whatever
 * fails after that, the process or the store, a place ends too late rather than too early.
 */
public final class LeaseCeiling implements Ceiling {
  private static final Logger log = LoggerFactory.getLogger(LeaseCeiling.class);
  private static final Duration SECOND = Duration.ofSeconds(1);

  /** Longer than a pause of the process between the permission and the call. */
  static final Duration MAX_HESITATION = Duration.ofSeconds(5);

  /** A little slower than places become free, because those who are on time need some as well. */
  private static final long MICROS_PER_ROUND = 1_100_000;

  private final LeaseStore leases;
  private final String resource;
  private final Times times;
  private final Concurrency places;
  private final WaitingLine line;
  private final LongSupplier nanoTime;

  /** Places of calls without an answer whose connections are open, by the ids of their leases. */
  private final Map<String, Place> unanswered = new ConcurrentHashMap<>();

  /**
   * Ends of leases that the store could not be told, by their ids. No place is taken before it has
   * been told, so there are no more than calls in progress at the same time.
   */
  private final Map<String, Runnable> untold = new ConcurrentHashMap<>();

  private final LatePlaces late;

  /** Connections of calls without an answer that need no place any more, the oldest first. */
  private final Queue<CompletableFuture<Boolean>> kept = new ConcurrentLinkedQueue<>();

  /**
   * What is known about the calls of a downstream.
   *
   * @param maxCall the time after which a call is given up
   * @param maxLateness how long a call may still be on its way after its connection has ended, or
   *     after the downstream has decided about a payment whose call was sent later
   * @param maxPause how long the downstream may neither answer nor close its connections and then
   *     look at the calls that it has got meanwhile
   */
  public record Times(Duration maxCall, Duration maxLateness, Duration maxPause) {
    private Duration untilGone() {
      return maxLateness.plus(SECOND);
    }

    private Duration longest() {
      return MAX_HESITATION.plus(maxCall).plus(maxPause).plus(untilGone());
    }
  }

  /**
   * @param resource the name of the downstream in the lease store
   * @param max maximum number of calls within any second
   */
  public LeaseCeiling(LeaseStore leases, String resource, int max, Times times) {
    this(leases, resource, max, times, System::nanoTime);
  }

  LeaseCeiling(LeaseStore leases, String resource, int max, Times times, LongSupplier nanoTime) {
    this.leases = leases;
    this.resource = resource;
    this.times = times;
    this.places = Concurrency.of(max, times.longest());
    this.line = new WaitingLine(leases, resource + "/line", MICROS_PER_ROUND / max);
    this.nanoTime = nanoTime;
    this.late = new LatePlaces(id -> leases.release(resource, id), nanoTime);
  }

  @Override
  public Admission enter(String paymentId) {
    tellEnds();
    long askedAt = nanoTime.getAsLong();
    // A new lease for each call: a call whose worker died may still arrive and needs its own place.
    String id = UUID.randomUUID().toString();
    return switch (acquire(id)) {
      case LeaseDecision.Held held -> new Place(id, askedAt);
      case LeaseDecision.Full full -> new Wait(line.join(paymentId).plus(untilFree(full)));
      case LeaseDecision.Unavailable unavailable -> new Wait(unavailable.retryAfter());
      // A caller that is admitted without a lease is counted nowhere.
      case LeaseDecision.Unchecked unchecked -> new Wait(SECOND);
    };
  }

  private LeaseDecision.Acquisition acquire(String id) {
    try {
      return leases.acquire(resource, places, id, 1);
    } catch (StoreException e) {
      if (e.outcome() == StoreException.Outcome.UNKNOWN) {
        // It may be taken now or later, and nobody uses it.
        untold.put(id, () -> late.release(id));
      }
      throw e;
    }
  }

  /** Tells the store what it could not be told before. Throws, as all of this, if it cannot now. */
  private void tellEnds() {
    untold.forEach(
        (id, end) -> {
          end.run();
          untold.remove(id, end);
        });
    late.releaseAgain();
  }

  /** Keeps a connection open, because its late answer says what became of the call. */
  private void keep(CompletableFuture<Boolean> end) {
    kept.removeIf(CompletableFuture::isDone);
    kept.add(end);
    if (kept.size() > places.max()) {
      CompletableFuture<Boolean> oldest = kept.poll();
      if (oldest != null) {
        oldest.cancel(false);
      }
    }
  }

  /** Returns the time until a place is free. A call in flight usually ends before its lease. */
  private static Duration untilFree(LeaseDecision.Full full) {
    return full.retryAfter().compareTo(SECOND) < 0 ? full.retryAfter() : SECOND;
  }

  private final class Place implements Permit {
    private final String id;
    private final long askedAtNanos;
    private volatile long givenUpAtNanos;
    private volatile CompletableFuture<Boolean> end = new CompletableFuture<>();

    Place(String id, long askedAtNanos) {
      this.id = id;
      this.askedAtNanos = askedAtNanos;
    }

    @Override
    public boolean isValid() {
      return nanoTime.getAsLong() - askedAtNanos < MAX_HESITATION.toNanos();
    }

    @Override
    public void answered(boolean isDecided) {
      releaseAfter(SECOND);
      if (isDecided) {
        unanswered.values().forEach(place -> place.endIfGivenUpBefore(askedAtNanos));
      }
    }

    /** The downstream works: what it got before a later call is no longer waiting there. */
    private void endIfGivenUpBefore(long laterCallNanos) {
      if (laterCallNanos - givenUpAtNanos >= 0 && unanswered.remove(id, this)) {
        releaseAfter(times.untilGone());
        keep(end);
      }
    }

    @Override
    public void unanswered(CompletableFuture<Boolean> callEnd) {
      givenUpAtNanos = nanoTime.getAsLong();
      end = callEnd;
      unanswered.put(id, this);
      CompletableFuture<Boolean> unused =
          callEnd
              .orTimeout(times.maxPause().toNanos(), TimeUnit.NANOSECONDS)
              .whenComplete(
                  (isAnswered, failure) -> {
                    if (unanswered.remove(id, this) && failure == null) {
                      releaseAfter(isAnswered ? SECOND : times.untilGone());
                    }
                  });
    }

    @Override
    public void unused() {
      inStore(() -> leases.release(resource, id));
    }

    private void releaseAfter(Duration delay) {
      inStore(() -> leases.releaseAfter(resource, id, delay));
    }

    /** The outcome of the call is known and must not be lost because the store fails. */
    private void inStore(Runnable end) {
      try {
        end.run();
      } catch (StoreException e) {
        untold.put(id, end);
        log.warn(
            "A place under the ceiling of {} is kept until the store works again: {}",
            resource,
            e.getMessage());
      }
    }
  }
}
