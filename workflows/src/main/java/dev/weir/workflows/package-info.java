/**
 * Paced starts of Temporal workflows: each start gets a slot, and the workflow runs at the time of
 * its slot. {@link dev.weir.workflows.PacedStarter} is the entry.
 */
@NullMarked
package dev.weir.workflows;

import org.jspecify.annotations.NullMarked;
