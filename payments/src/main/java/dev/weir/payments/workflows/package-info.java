/** Payments as Temporal workflows, in front of a downstream with a hard ceiling. */
@NullMarked
package dev.weir.payments.workflows;

import org.jspecify.annotations.NullMarked;
