package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.internal.Micros;
import dev.weir.limits.memory.MemoryLimitStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class WaitingCallersTest {
  private static final Policy ONE_A_SECOND =
      Policy.of("p", TokenBucket.of(1).refill(1, Duration.ofSeconds(1)));
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final AtomicLong nanos =
      new AtomicLong(
          TimeUnit.MICROSECONDS.toNanos(Micros.ceil(Instant.parse("2026-06-01T12:00:00Z"))));
  private final List<Duration> pauses = Collections.synchronizedList(new ArrayList<>());
  private final MemoryLimitStore store =
      new MemoryLimitStore(() -> Micros.instant(TimeUnit.NANOSECONDS.toMicros(nanos.get())));
  private final WaitingCallers waiting = new WaitingCallers(nanos::get, this::pause);
  private final Limiter limiter = Limiter.on(store, waiting);

  private void pause(long nanosToSleep) {
    pauses.add(Duration.ofNanos(nanosToSleep));
    nanos.addAndGet(nanosToSleep);
  }

  private void spend(Policy policy) {
    assertThat(limiter.tryAcquire(policy, "k")).isTrue();
  }

  @Test
  void isGrantedImmediatelyIfThereAreUnits() throws InterruptedException {
    assertThat(limiter.acquire(ONE_A_SECOND, "k", Duration.ZERO))
        .isInstanceOf(Decision.Allowed.class);
    assertThat(pauses).isEmpty();
  }

  @Test
  void waitsUntilThereAreUnits() throws InterruptedException {
    spend(ONE_A_SECOND);

    assertThat(limiter.acquire(ONE_A_SECOND, "k", MINUTE)).isInstanceOf(Decision.Allowed.class);
    assertThat(pauses).containsExactly(Duration.ofSeconds(1));
    assertThat(waiting.lines()).isZero();
  }

  @Test
  void waitsAgainIfOthersTookTheUnits() throws InterruptedException {
    spend(ONE_A_SECOND);
    WaitingCallers overtaken =
        new WaitingCallers(
            nanos::get,
            pause -> {
              pause(pause);
              if (pauses.size() < 3) {
                spend(ONE_A_SECOND);
              }
            });

    assertThat(Limiter.on(store, overtaken).acquire(ONE_A_SECOND, "k", MINUTE))
        .isInstanceOf(Decision.Allowed.class);
    assertThat(pauses).hasSize(3);
  }

  @Test
  void givesUpAsSoonAsTheWaitWouldBeTooLongAndTakesNothing() throws InterruptedException {
    Policy policy = Policy.of("w", FixedWindow.of(2, Duration.ofSeconds(10)));
    spend(policy);

    Decision refused = limiter.acquire(policy, "k", 2, Duration.ofSeconds(9));

    assertThat(refused)
        .isInstanceOfSatisfying(
            Decision.Refused.class,
            decision -> assertThat(decision.retryAfter()).isEqualTo(Duration.ofSeconds(10)));
    assertThat(pauses).isEmpty();
    assertThat(limiter.peek(policy, "k").remaining()).isEqualTo(1);
  }

  @Test
  void anInterruptionEndsTheWaitAndTakesNothing() {
    spend(ONE_A_SECOND);
    WaitingCallers interrupted =
        new WaitingCallers(
            nanos::get,
            pause -> {
              throw new InterruptedException();
            });

    assertThatThrownBy(() -> Limiter.on(store, interrupted).acquire(ONE_A_SECOND, "k", MINUTE))
        .isInstanceOf(InterruptedException.class);
    assertThat(interrupted.lines()).isZero();
    pause(TimeUnit.SECONDS.toNanos(1));
    spend(ONE_A_SECOND);
  }

  @Test
  void whoIsInterruptedBeforeDoesNotEvenTry() {
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> limiter.acquire(ONE_A_SECOND, "k", MINUTE))
        .isInstanceOf(InterruptedException.class);
    spend(ONE_A_SECOND);
  }

  @Test
  void severalLimitsAreTakenTogetherOrNotAtAll() throws InterruptedException {
    Policy all = Policy.of("all", FixedWindow.of(5, Duration.ofSeconds(10)));
    spend(ONE_A_SECOND);
    LimitRequest user = LimitRequest.of(ONE_A_SECOND, "k");
    LimitRequest everyone = LimitRequest.of(all, "everyone");

    assertThat(limiter.acquire(user, everyone).isAllowed()).isFalse();
    assertThat(limiter.peek(all, "everyone").remaining()).isEqualTo(5);
    AcquireResult granted = limiter.acquire(AcquireRequest.all(user, everyone), MINUTE);
    assertThat(granted.isAllowed()).isTrue();
    assertThat(limiter.peek(all, "everyone").remaining()).isEqualTo(4);
  }

  @Test
  void anUnknownOutcomeIsNotTriedAgain() throws InterruptedException {
    AcquireResult unknown =
        new AcquireResult(
            List.of(new Decision.Refused(0, 1, 1)),
            Instant.EPOCH,
            AcquireResult.Mode.CLOSED,
            AcquireResult.Repetition.NONE,
            true);

    assertThat(
            waiting.acquire(
                AcquireRequest.of(LimitRequest.of(ONE_A_SECOND, "k")), MINUTE, () -> unknown))
        .isSameAs(unknown);
    assertThat(pauses).isEmpty();
  }

  @Test
  void refusesANegativeWait() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> limiter.acquire(ONE_A_SECOND, "k", Duration.ofNanos(-1)))
        .withMessageContaining("maxWait");
  }

  @Test
  void callersAreServedInTheOrderOfTheirArrival() throws Exception {
    CountDownLatch mayGoOn = new CountDownLatch(1);
    List<String> served = Collections.synchronizedList(new ArrayList<>());
    Limiter held =
        Limiter.on(
                store,
                new WaitingCallers(
                    nanos::get,
                    pause -> {
                      mayGoOn.await();
                      pause(pause);
                    }))
            .observedBy(
                new LimitObserver() {
                  @Override
                  public void decided(Policy policy, Outcome outcome, AcquireResult.Mode mode) {
                    if (outcome.isAllowed()) {
                      served.add(Thread.currentThread().getName());
                    }
                  }
                });
    spend(ONE_A_SECOND);
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      Thread thread =
          Thread.ofPlatform()
              .name("caller " + i)
              .start(
                  () -> {
                    try {
                      var unused = held.acquire(ONE_A_SECOND, "k", Duration.ofDays(1));
                    } catch (InterruptedException e) {
                      Thread.currentThread().interrupt();
                    }
                  });
      callers.add(thread);
      // It waits at the front, or in the line behind the others.
      while (thread.getState() != Thread.State.WAITING
          && thread.getState() != Thread.State.TIMED_WAITING) {
        Thread.onSpinWait();
      }
    }
    mayGoOn.countDown();
    for (Thread caller : callers) {
      caller.join();
    }
    assertThat(served).containsExactly("caller 0", "caller 1", "caller 2", "caller 3", "caller 4");
  }

  @Test
  void whoseTimeEndsInTheLineIsRefusedWhileOthersGoOnWaiting() throws Exception {
    CountDownLatch isWaiting = new CountDownLatch(1);
    CountDownLatch mayGoOn = new CountDownLatch(1);
    WaitingCallers line =
        new WaitingCallers(
            nanos::get,
            pause -> {
              isWaiting.countDown();
              mayGoOn.await();
              pause(pause);
            });
    Limiter held = Limiter.on(store, line);
    spend(ONE_A_SECOND);
    Thread first =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    var unused = held.acquire(ONE_A_SECOND, "k", MINUTE);
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
    isWaiting.await();

    assertThat(held.acquire(ONE_A_SECOND, "k", Duration.ofMillis(1)))
        .isInstanceOf(Decision.Refused.class);
    assertThat(line.lines()).isEqualTo(1);
    mayGoOn.countDown();
    first.join();
    assertThat(line.lines()).isZero();
  }
}
