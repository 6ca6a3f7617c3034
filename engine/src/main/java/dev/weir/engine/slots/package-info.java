/**
 * Slots on a store: {@link dev.weir.engine.slots.SlotScheduler} for callers, the ports that stores
 * implement, and the store in memory.
 *
 * <p>Start with {@link dev.weir.engine.slots.SlotScheduler}.
 */
@NullMarked
package dev.weir.engine.slots;

import org.jspecify.annotations.NullMarked;
