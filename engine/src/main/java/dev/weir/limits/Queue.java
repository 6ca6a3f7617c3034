package dev.weir.limits;

import dev.weir.internal.Micros;
import java.time.Duration;
import java.util.Optional;

/**
 * A queue in front of a limit: a caller that is refused may wait instead, each caller one step
 * longer than the one before it.
 *
 * <p>A place in the queue is a {@link Lease} that expires when the wait is over, or is released
 * when its client disconnects.
 */
public record Queue(int maxSize, long delayMicros) {
  public Queue {
    Require.between("maxSize", maxSize, 1, Concurrency.MAX_PLACES);
    Require.between(
        "delayMicros", delayMicros, 1, Limit.MAX_DURATION_MICROS / Concurrency.MAX_PLACES);
  }

  public static Queue of(int maxSize, Duration delayPerRequest) {
    return new Queue(maxSize, Require.micros("delayPerRequest", delayPerRequest, 1));
  }

  /** Returns the time by which each caller waits longer than the one before it. */
  public Duration delay() {
    return Micros.duration(delayMicros);
  }

  /**
   * Takes the next place in the queue if there is one. An id that already has a place keeps it.
   *
   * @return {@link LeaseDecision.Held}, whose {@code current} is the position of a new place and
   *     whose lease expires when the wait is over; or {@link LeaseDecision.Full}
   */
  public LiveLeases.Step<LeaseDecision.Acquisition> join(
      LiveLeases waiting, String id, long nowMicros) {
    LiveLeases live = waiting.at(nowMicros);
    Optional<Lease> held = live.find(id);
    if (held.isPresent()) {
      return new LiveLeases.Step<>(live, new LeaseDecision.Held(held.get(), live.places()));
    }
    if (live.places() >= maxSize) {
      int excess = live.places() + 1 - maxSize;
      return new LiveLeases.Step<>(
          live, new LeaseDecision.Full(live.places(), live.waitMicros(excess, nowMicros)));
    }
    int position = live.places() + 1;
    Lease place = new Lease(id, 1, nowMicros + position * delayMicros);
    return new LiveLeases.Step<>(live.with(place), new LeaseDecision.Held(place, position));
  }

  /** Returns the outcome of a request that was refused and then tried to {@link #join}. */
  public Outcome outcome(Decision.Refused refused, LeaseDecision.Acquisition joined) {
    return switch (joined) {
      case LeaseDecision.Held held -> delayed(refused, held.current());
      case LeaseDecision.Unchecked unchecked -> delayed(refused, 1);
      case LeaseDecision.Full full ->
          new Decision.Refused(
              refused.remaining(),
              refused.resetMicros(),
              Math.min(refused.retryAfterMicros(), full.retryAfterMicros()));
      case LeaseDecision.Unavailable unavailable -> refused;
    };
  }

  private Delayed delayed(Decision.Refused refused, int position) {
    return new Delayed(
        refused.remaining(), refused.resetMicros(), position * delayMicros, position);
  }
}
