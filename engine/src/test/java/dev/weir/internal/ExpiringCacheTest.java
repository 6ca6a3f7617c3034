package dev.weir.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ExpiringCacheTest {
  /** However busy the machine is, callers wait for the one that reads. */
  private static final Duration MAX_WAIT = Duration.ofMinutes(5);

  @Test
  void keepsNothingThatWasForgottenWhileItWasRead() {
    AtomicReference<ExpiringCache<String>> recent = new AtomicReference<>();
    AtomicReference<String> stored = new AtomicReference<>("old");
    recent.set(
        new ExpiringCache<>(
            name -> {
              String read = stored.get();
              if (stored.compareAndSet("old", "new")) {
                // It is changed right after it was read, and invalidated.
                recent.get().forget(name);
              }
              return Optional.of(read);
            },
            Duration.ofDays(1),
            () -> 0));

    assertThat(recent.get().find("a")).contains("old");
    assertThat(recent.get().find("a")).contains("new");
    assertThat(recent.get().known("a")).contains("new");
  }

  @Test
  void callersShareOneRead() throws Exception {
    CountDownLatch read = new CountDownLatch(1);
    AtomicInteger reads = new AtomicInteger();
    ExpiringCache<String> cache =
        new ExpiringCache<>(
            name -> {
              reads.incrementAndGet();
              await(read);
              return Optional.of("value");
            },
            Duration.ofDays(1),
            () -> 0,
            MAX_WAIT);

    List<FutureTask<Optional<String>>> callers = start(50, () -> cache.find("a"));
    read.countDown();

    for (FutureTask<Optional<String>> caller : callers) {
      assertThat(caller.get()).contains("value");
    }
    assertThat(reads).hasValue(1);
  }

  @Test
  void failureReachesThoseWhoWaitAndIsNotCached() throws Exception {
    CountDownLatch read = new CountDownLatch(1);
    AtomicInteger reads = new AtomicInteger();
    ExpiringCache<String> cache =
        new ExpiringCache<>(
            name -> {
              if (reads.incrementAndGet() > 1) {
                return Optional.of("value");
              }
              await(read);
              throw new StoreException(StoreException.Outcome.NONE, "gone");
            },
            Duration.ofDays(1),
            () -> 0,
            MAX_WAIT);

    List<FutureTask<Optional<String>>> callers = start(5, () -> cache.find("a"));
    read.countDown();

    for (FutureTask<Optional<String>> caller : callers) {
      assertThatThrownBy(caller::get).hasCauseInstanceOf(StoreException.class);
    }
    assertThat(cache.find("a")).contains("value");
    assertThat(reads).hasValue(2);
  }

  @Test
  void callerAfterAChangeDoesNotShareTheReadFromBeforeIt() throws Exception {
    CountDownLatch oldRead = new CountDownLatch(1);
    AtomicInteger reads = new AtomicInteger();
    ExpiringCache<String> cache =
        new ExpiringCache<>(
            name -> {
              if (reads.incrementAndGet() > 1) {
                return Optional.of("new");
              }
              await(oldRead);
              return Optional.of("old");
            },
            Duration.ofDays(1),
            () -> 0,
            MAX_WAIT);

    List<FutureTask<Optional<String>>> early = start(2, () -> cache.find("a"));
    cache.forget("a");
    assertThat(cache.find("a")).contains("new");
    oldRead.countDown();

    for (FutureTask<Optional<String>> caller : early) {
      assertThat(caller.get()).contains("old");
    }
    assertThat(cache.known("a")).contains("new");
  }

  @Test
  void readOfOneNameKeepsNoOtherWaitingAndACallerGivesUp() throws Exception {
    CountDownLatch read = new CountDownLatch(1);
    ExpiringCache<String> cache =
        new ExpiringCache<>(
            name -> {
              if (name.equals("slow")) {
                await(read);
              }
              return Optional.of(name);
            },
            Duration.ofDays(1),
            () -> 0,
            Duration.ofMillis(20));
    List<FutureTask<Optional<String>>> reader = start(1, () -> cache.find("slow"));

    assertThat(cache.find("fast")).contains("fast");
    assertThatThrownBy(() -> cache.find("slow"))
        .isInstanceOfSatisfying(
            StoreException.class,
            e -> assertThat(e.outcome()).isEqualTo(StoreException.Outcome.NONE));

    read.countDown();
    assertThat(reader.getFirst().get()).contains("slow");
  }

  /** Starts callers; returns when each of them waits. */
  private static <T> List<FutureTask<T>> start(int count, Callable<T> call) {
    List<FutureTask<T>> tasks =
        IntStream.range(0, count).mapToObj(i -> new FutureTask<>(call)).toList();
    List<Thread> threads = tasks.stream().map(Thread.ofPlatform().daemon()::start).toList();
    Set<Thread.State> waiting = Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING);
    while (!threads.stream().map(Thread::getState).allMatch(waiting::contains)) {
      LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(100));
    }
    return tasks;
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
