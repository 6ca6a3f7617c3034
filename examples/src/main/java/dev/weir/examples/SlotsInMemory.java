package dev.weir.examples;

import dev.weir.slots.Slot;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotScheduler;
import java.time.Duration;

/**
 * Assigns each payment a time at which it may run: never more than two in four seconds, because the
 * bank allows no more. A payment that asks again gets the slot that it has.
 */
public final class SlotsInMemory {
  private SlotsInMemory() {}

  public static void main(String... args) {
    try (SlotScheduler slots = SlotScheduler.inMemory()) {
      slots.configure("bank-api", SlotPolicy.of(2, Duration.ofSeconds(4)));
      for (String payment : new String[] {"pay-1", "pay-2", "pay-3", "pay-1"}) {
        Slot slot = slots.assign(payment, "bank-api");
        System.out.printf("%s: at %s%n", payment, slot.scheduledTime());
      }
    }
  }
}
