package dev.weir.server.payments.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PartOwnership;
import dev.weir.payments.PaymentStore;
import dev.weir.payments.workflows.AnswerFields;
import dev.weir.payments.workflows.StatusMeanings;
import dev.weir.workflows.SlotSource;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

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
