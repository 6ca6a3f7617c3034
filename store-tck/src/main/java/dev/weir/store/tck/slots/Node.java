package dev.weir.store.tck.slots;

import dev.weir.engine.slots.SlotConfigs;
import dev.weir.engine.slots.SlotLedger;
import dev.weir.engine.slots.SlotUpkeep;

/** One node's view of a store: its ports. */
public record Node(SlotLedger ledger, SlotConfigs configs, SlotUpkeep upkeep) {}
