/** Payments as Temporal workflows, in front of a downstream with a hard ceiling. */
@NullMarked
package dev.weir.workflows.payments;

import org.jspecify.annotations.NullMarked;
