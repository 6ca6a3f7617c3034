/**
 * Where a slot lies: windows, places, occupancy and the planner, as pure functions. Time and
 * randomness are arguments; nothing here waits or stores. Not for use outside of Weir: it may
 * change in any release.
 */
@NullMarked
package dev.weir.slots.planning.internal;

import org.jspecify.annotations.NullMarked;
