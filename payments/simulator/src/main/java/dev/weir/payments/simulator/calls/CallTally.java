package dev.weir.payments.simulator.calls;

import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Counts calls as they come, in the order of their arrival, in memory that does not grow with their
 * number. Not thread-safe.
 */
public final class CallTally {
  private final SlidingSecond seconds = new SlidingSecond();
  private final CallTimeline timeline = new CallTimeline();
  private final Map<CallResult, Long> results = new EnumMap<>(CallResult.class);
  private long calls;
  private long booked;
  private @Nullable Instant first;
  private @Nullable Instant last;

  /**
   * Adds a call.
   *
   * @throws IllegalArgumentException if it is before an earlier call
   */
  public void add(RecordedCall call) {
    add(call.at(), call.result(), call.booked());
  }

  /**
   * Adds a call.
   *
   * @param booked whether it booked a payment
   * @throws IllegalArgumentException if it is before an earlier call
   */
  public void add(Instant at, CallResult result, boolean booked) {
    int inSecond = seconds.add(RecordedCall.nanos(at));
    timeline.add(at, inSecond);
    calls++;
    results.merge(result, 1L, Long::sum);
    this.booked += booked ? 1 : 0;
    first = first == null ? at : first;
    last = at;
  }

  /** Returns the counts so far. */
  public CallStatistics statistics() {
    return new CallStatistics(
        calls,
        results,
        booked,
        seconds.max(),
        first == null ? Optional.empty() : Optional.of(RecordedCall.instant(seconds.maxEndNanos())),
        Optional.ofNullable(first),
        Optional.ofNullable(last),
        timeline.secondsPerColumn(),
        timeline.columns());
  }
}
