package dev.weir.store.tck.slots;

import dev.weir.engine.slots.SlotConfigs;
import dev.weir.engine.slots.SlotLedger;
import dev.weir.engine.slots.SlotUpkeep;

/** The ports of a store, as one node opens them. */
public record Node(SlotLedger ledger, SlotConfigs configs, SlotUpkeep upkeep) {}
