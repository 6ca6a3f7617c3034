package dev.weir.slots;

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
    MemorySlotLedger ledger =
        new MemorySlotLedger(
            InstantSource.system(), () -> ThreadLocalRandom.current().nextLong(), maxSlots);
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
