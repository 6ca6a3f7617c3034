/**
 * Slots: {@link dev.weir.slots.SlotScheduler} for callers, the policies of configurations, the
 * ports that stores implement, and the store in memory.
 *
 * <p>Start with {@link dev.weir.slots.SlotScheduler}.
 */
@NullMarked
package dev.weir.slots;

import org.jspecify.annotations.NullMarked;
