package dev.weir.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.NotEmpty;

/** Percentiles of durations. */
class LatenciesTest {
  static final long MAX_NANOS = 30_000_000_000L;

  @Property(tries = 300)
  void percentilesAreExactToAnEighth(
      @ForAll @NotEmpty List<@LongRange(min = 0, max = MAX_NANOS) Long> earlier,
      @ForAll @NotEmpty List<@LongRange(min = 0, max = MAX_NANOS) Long> nanos) {
    Latencies latencies = new Latencies();
    earlier.forEach(latencies::record);
    Latencies.Reading before = latencies.read();
    nanos.forEach(latencies::record);
    Latencies.Reading after = latencies.read();

    List<Long> sorted = nanos.stream().sorted().toList();
    for (double share : new double[] {0.01, 0.5, 0.99, 1}) {
      double exact = sorted.get((int) Math.ceil(sorted.size() * share) - 1).doubleValue();
      double found = after.percentileSince(before, share) * TimeUnit.MILLISECONDS.toNanos(1);
      assertThat(found).isBetween(exact, Math.max(exact * 1.125, 1_024) + 1);
    }
  }

  @Property
  void everyDurationEndsWithinItsBucket(@ForAll @LongRange(min = 0, max = MAX_NANOS) long nanos) {
    int bucket = Latencies.bucket(nanos);
    assertThat(nanos).isLessThan(Latencies.endNanos(bucket));
    if (bucket > 0) {
      assertThat(nanos).isGreaterThanOrEqualTo(Latencies.endNanos(bucket - 1));
    }
  }

  @Example
  void withoutDurationsThereIsNone() {
    Latencies latencies = new Latencies();
    latencies.record(5);
    Latencies.Reading reading = latencies.read();
    assertThat(reading.percentileSince(latencies.read(), 0.5)).isNaN();
  }

  @Example
  void veryLongDurationsShareTheLastBucket() {
    Latencies latencies = new Latencies();
    Latencies.Reading before = latencies.read();
    latencies.record(Long.MAX_VALUE);
    assertThat(latencies.read().percentileSince(before, 0.5)).isCloseTo(34_359.7, within(0.1));
  }
}
