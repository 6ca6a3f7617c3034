/**
 * Where a slot lies: windows, the places inside them, calendars, and the planner that finds the
 * earliest free place. Pure: time and randomness are arguments, nothing here waits or stores.
 *
 * <p>Start with {@link dev.weir.core.slots.Planner}.
 */
package dev.weir.core.slots;
