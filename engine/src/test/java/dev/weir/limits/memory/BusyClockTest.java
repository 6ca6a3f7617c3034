package dev.weir.limits.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class BusyClockTest {
  @Test
  @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void ticksWhileItIsBusyAndIsNeverEarly() {
    BusyClock clock = new BusyClock();
    long observedMicros = 0;
    // On a busy machine, this thread may miss most of a period.
    while (observedMicros <= BusyClock.TICKS / 2 * BusyClock.TICK_MICROS) {
      while (!clock.isTicking()) {
        assertThat(clock.cheapMicros()).isLessThanOrEqualTo(clock.exactMicros());
      }
      // Until the thread has ended.
      long start = clock.exactMicros();
      long latest = start;
      while (clock.isTicking()) {
        latest = clock.cheapMicros();
        assertThat(latest).isLessThanOrEqualTo(clock.exactMicros());
      }
      observedMicros = latest - start;
    }
  }

  @Test
  void isExactUnderLowLoad() {
    AtomicLong micros = new AtomicLong();
    BusyClock clock = new BusyClock(micros::get);
    for (int i = 0; i < 10_000; i++) {
      assertThat(clock.cheapMicros()).isEqualTo(micros.getAndAdd(BusyClock.TICK_MICROS / 10));
      assertThat(clock.isTicking()).isFalse();
    }
  }

  @Test
  void givenClockIsAlwaysExact() {
    AtomicLong micros = new AtomicLong();
    BusyClock clock = BusyClock.exact(micros::get);
    for (int i = 0; i < 10_000; i++) {
      assertThat(clock.cheapMicros()).isEqualTo(micros.getAndIncrement());
    }
  }
}
