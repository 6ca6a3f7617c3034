package dev.weir.core.limits;

import java.time.Duration;
import java.util.Optional;

/**
 * A queue in front of a limit: whoever is refused may wait instead, each a step longer than the one
 * before.
 *
 * <p>A place in the queue is a {@link Lease} that ends when the wait is over, or is released when
 * its client goes away.
 */
public record Queue(int maxSize, long delayMicros) {
  public Queue {
    Require.between("maxSize", maxSize, 1, Concurrency.MOST);
    Require.between("delayMicros", delayMicros, 1, Limit.LONGEST_MICROS / Concurrency.MOST);
  }

  public static Queue of(int maxSize, Duration delayPerRequest) {
    return new Queue(maxSize, Require.micros("delayPerRequest", delayPerRequest));
  }

  /**
   * Takes the next place, if there is one; the same id again has the place that it has.
   *
   * @return {@link LeaseDecision.Held}, whose {@code current} is the position when it is new, and
   *     whose lease ends when the wait is over; or {@link LeaseDecision.Full}
   */
  public LiveLeases.Step join(LiveLeases waiting, String id, long nowMicros) {
    LiveLeases live = waiting.at(nowMicros);
    Optional<Lease> held = live.find(id);
    if (held.isPresent()) {
      return new LiveLeases.Step(live, new LeaseDecision.Held(held.get(), live.places()));
    }
    if (live.places() >= maxSize) {
      int tooMany = live.places() + 1 - maxSize;
      return new LiveLeases.Step(
          live, new LeaseDecision.Full(live.places(), live.waitMicros(tooMany, nowMicros)));
    }
    int position = live.places() + 1;
    Lease place = new Lease(id, 1, nowMicros + position * delayMicros);
    return new LiveLeases.Step(live.with(place), new LeaseDecision.Held(place, position));
  }
}
