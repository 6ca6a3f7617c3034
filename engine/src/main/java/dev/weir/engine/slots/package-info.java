/**
 * Slots at run time: the {@link dev.weir.engine.slots.SlotScheduler} that callers talk to, the
 * ports that stores implement, and the ledger in memory.
 */
package dev.weir.engine.slots;
