package dev.weir.slots;

import static java.util.Objects.requireNonNull;

import dev.weir.slots.internal.MemorySlotLedger;
import java.time.InstantSource;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A store of slots: the slots themselves, their configurations and their upkeep. Closing it
 * releases what it opened itself, such as connections.
 */
public interface SlotStore extends AutoCloseable {
  /** The default maximum number of slots of an in-memory store: about a gigabyte. */
  int DEFAULT_MAX_SLOTS_IN_MEMORY = 5_000_000;

  SlotLedger ledger();

  SlotConfigs configs();

  SlotUpkeep upkeep();

  @Override
  void close();

  /** Returns a store in the memory of this process. It is empty after a restart. */
  static SlotStore inMemory() {
    return inMemory(DEFAULT_MAX_SLOTS_IN_MEMORY);
  }

  /** Returns a store in the memory of this process that keeps up to {@code maxSlots} slots. */
  static SlotStore inMemory(int maxSlots) {
    return inMemory(InstantSource.system(), maxSlots);
  }

  /** Returns a store in the memory of this process that assigns slots by a clock. */
  static SlotStore inMemory(InstantSource clock) {
    return inMemory(clock, DEFAULT_MAX_SLOTS_IN_MEMORY);
  }

  /**
   * Returns a store in the memory of this process that assigns slots by a clock and keeps up to
   * {@code maxSlots} of them.
   */
  static SlotStore inMemory(InstantSource clock, int maxSlots) {
    MemorySlotLedger ledger =
        new MemorySlotLedger(
            requireNonNull(clock, "clock"), () -> ThreadLocalRandom.current().nextLong(), maxSlots);
    return of(ledger, ledger, ledger, () -> {});
  }

  /** Returns a store made of the given parts; {@code close} runs when it is closed. */
  static SlotStore of(SlotLedger ledger, SlotConfigs configs, SlotUpkeep upkeep, Runnable close) {
    return new SlotStore() {
      @Override
      public SlotLedger ledger() {
        return ledger;
      }

      @Override
      public SlotConfigs configs() {
        return configs;
      }

      @Override
      public SlotUpkeep upkeep() {
        return upkeep;
      }

      @Override
      public void close() {
        close.run();
      }
    };
  }
}
