package dev.weir.store.tck.slots;

import dev.weir.slots.internal.MemorySlotLedger;
import java.time.InstantSource;
import java.util.Random;
import java.util.function.Supplier;

/** Runs the kit on the memory ledger. */
final class MemorySlotLedgerTest implements SlotLedgerKit {
  @Override
  public Supplier<Node> storeBy(InstantSource clock) {
    MemorySlotLedger ledger = new MemorySlotLedger(clock, new Random(1), 1_000_000);
    Node node = new Node(ledger, ledger, ledger);
    return () -> node;
  }
}
