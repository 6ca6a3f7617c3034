/**
 * Where a slot lies: windows, places, occupancy and the planner. Not for use outside of Weir: it
 * may change in any release.
 */
@NullMarked
package dev.weir.core.slots.internal;

import org.jspecify.annotations.NullMarked;
