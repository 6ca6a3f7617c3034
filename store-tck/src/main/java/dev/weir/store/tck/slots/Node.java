package dev.weir.store.tck.slots;

import dev.weir.slots.SlotConfigs;
import dev.weir.slots.SlotLedger;
import dev.weir.slots.SlotUpkeep;

/** The ports of a store, as one node opens them. */
public record Node(SlotLedger ledger, SlotConfigs configs, SlotUpkeep upkeep) {}
