package dev.weir.payments.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PartOwnership;
import dev.weir.payments.PaymentStore;
import dev.weir.payments.workflows.AnswerFields;
import dev.weir.payments.workflows.CallGate;
import dev.weir.payments.workflows.Ceiling;
import dev.weir.payments.workflows.PaymentObserver;
import dev.weir.payments.workflows.StatusMeanings;
import dev.weir.workflows.SlotSource;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a node says while it cannot make payments. */
final class PaymentRuntimeTest {
  private static final PaymentSettings SETTINGS =
      new PaymentSettings(
          Optional.empty(),
          "payments",
          "bank",
          new PaymentSettings.Api(
              new PaymentSettings.Target.Simulator(),
              "",
              Duration.ofSeconds(1),
              StatusMeanings.DEFAULT,
              AnswerFields.DEFAULT,
              "",
              Duration.ofSeconds(1),
              Duration.ofMinutes(1)),
          new PaymentSettings.CeilingSettings(1, true),
          true,
          Duration.ofMinutes(1),
          Duration.ofHours(1),
          Path.of("unused"));

  /** Has a permit for each round that has begun. */
  private final Semaphore rounds = new Semaphore(0);

  /** Returns a store with a feed that is to be started. */
  private PaymentStore store() {
    return (PaymentStore)
        Proxy.newProxyInstance(
            PaymentStore.class.getClassLoader(),
            new Class<?>[] {PaymentStore.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "discardGivenUp" -> {
                    rounds.release();
                    yield false;
                  }
                  case "holdIfRestored" -> false;
                  case "holdReason" -> "";
                  case "startingFeeds" -> List.of("june");
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private static SlotSource noSlots() {
    return (SlotSource)
        Proxy.newProxyInstance(
            SlotSource.class.getClassLoader(),
            new Class<?>[] {SlotSource.class},
            (proxy, method, arguments) -> {
              throw new UnsupportedOperationException(method.getName());
            });
  }

  /** Returns the problem after a round that failed. */
  private String problemAfter(RuntimeException failure) throws InterruptedException {
    try (PaymentRuntime runtime =
        new PaymentRuntime(
            SETTINGS,
            store(),
            noSlots(),
            PartOwnership.SHARED,
            () -> {
              throw failure;
            })) {
      runtime.feedReceived();
      // The second begins after the first has ended.
      assertThat(rounds.tryAcquire(2, 5, TimeUnit.MINUTES)).isTrue();
      return runtime.problem();
    }
  }

  /** Returns a store with a payment that is open, of a feed that was started. */
  private PaymentStore storeWithAnOpenPayment() {
    return (PaymentStore)
        Proxy.newProxyInstance(
            PaymentStore.class.getClassLoader(),
            new Class<?>[] {PaymentStore.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "discardGivenUp" -> {
                    rounds.release();
                    yield false;
                  }
                  case "holdIfRestored" -> false;
                  case "holdReason" -> "";
                  case "now" -> Instant.now();
                  // One is asked for by who wants to know whether there are any.
                  case "startingFeeds" -> (int) arguments[0] == 1 ? List.of("june") : List.of();
                  case "open", "cancelledWithSlots" -> List.of();
                  case "closeFeeds" -> null;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private static <T> T unused(Class<T> type) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              throw new UnsupportedOperationException(method.getName());
            }));
  }

  private void awaitStarts(PaymentRuntime runtime, AtomicInteger starts, int count)
      throws InterruptedException {
    while (starts.get() < count) {
      runtime.feedReceived();
      assertThat(rounds.tryAcquire(5, TimeUnit.MINUTES)).isTrue();
    }
  }

  /** The embedded Temporal goes by that clock: what waits in it might wait until it is there. */
  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void startsPaymentsAnewAfterTheClockWasSet(@TempDir Path folder) throws InterruptedException {
    PaymentSettings settings =
        new PaymentSettings(
            SETTINGS.temporal(),
            SETTINGS.taskQueue(),
            SETTINGS.configName(),
            SETTINGS.api(),
            SETTINGS.ceiling(),
            SETTINGS.isPaced(),
            SETTINGS.grace(),
            SETTINGS.giveUpAfter(),
            folder);
    PaymentStore store = storeWithAnOpenPayment();
    AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);
    AtomicInteger starts = new AtomicInteger();
    try (PaymentRuntime runtime =
        new PaymentRuntime(
            settings,
            store,
            noSlots(),
            PartOwnership.SHARED,
            () -> {
              RunningPayments running =
                  RunningPayments.start(
                      settings,
                      new RunningPayments.Stores(
                          store, noSlots(), unused(Ceiling.class), unused(CallGate.class)),
                      PaymentObserver.NONE,
                      () -> Instant.now().plus(ahead.get()));
              starts.incrementAndGet();
              return running;
            })) {
      awaitStarts(runtime, starts, 1);
      ahead.set(Duration.ofHours(1));
      awaitStarts(runtime, starts, 2);
      ahead.set(Duration.ZERO);
      awaitStarts(runtime, starts, 3);
      assertThat(runtime.problem()).isEmpty();
    }
  }

  @Test
  void problemNamesItsCause() throws InterruptedException {
    assertThat(problemAfter(new IllegalStateException("no start", new IOException("disk full"))))
        .isEqualTo("no start: disk full");
  }

  @Test
  void problemWithoutAMessageNamesItsKind() throws InterruptedException {
    assertThat(problemAfter(new UnsupportedOperationException()))
        .isEqualTo("UnsupportedOperationException");
  }
}
