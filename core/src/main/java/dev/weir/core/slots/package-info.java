/**
 * Slots as pure functions: windows, the places inside them, calendars, and the planner that finds
 * the earliest free place. Time and randomness are arguments; nothing here waits or stores.
 *
 * <p>Start with {@link dev.weir.core.slots.internal.Planner}.
 */
@NullMarked
package dev.weir.core.slots;

import org.jspecify.annotations.NullMarked;
