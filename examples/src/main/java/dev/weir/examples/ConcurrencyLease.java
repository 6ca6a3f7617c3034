package dev.weir.examples;

import dev.weir.limits.Concurrency;
import dev.weir.limits.Leases;
import java.time.Duration;

/**
 * Limits how many work at the same time: one report is printed at a time.
 *
 * <p>A lease is held until it is closed. If its holder dies, it ends after the given time; a holder
 * that needs longer calls {@code renew()}. With {@code Leases.on(RedisLeaseStore.connect(uri))} it
 * is one report at a time for all instances of a service.
 */
public final class ConcurrencyLease {
  private ConcurrencyLease() {}

  public static void main(String... args) {
    try (Leases leases = Leases.inMemory()) {
      print(leases, "a", () -> print(leases, "b", () -> {}));
      print(leases, "c", () -> {});
    }
  }

  private static void print(Leases leases, String report, Runnable work) {
    switch (leases.acquire("printer", Concurrency.of(1, Duration.ofMinutes(5)))) {
      case Leases.Acquired lease -> {
        try (lease) {
          System.out.printf("report %s: printing%n", report);
          work.run();
        }
      }
      case Leases.Full full -> System.out.printf("report %s: the printer is busy%n", report);
    }
  }
}
