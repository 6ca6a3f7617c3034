package dev.weir.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Work on a thread of its own. */
record Call<T>(Thread thread, FutureTask<T> result) {
  static <T> Call<T> of(Callable<T> work) {
    FutureTask<T> result = new FutureTask<>(work);
    return new Call<>(Thread.ofVirtual().start(result), result);
  }

  /** Returns once the caller is waiting. */
  Call<T> untilItWaits() {
    while (thread.getState() != Thread.State.WAITING) {
      assertThat(thread.isAlive()).isTrue();
      LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(100));
    }
    return this;
  }
}
