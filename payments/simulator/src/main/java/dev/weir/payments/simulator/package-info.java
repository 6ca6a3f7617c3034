/** A simulator of the payment API downstream, which counts, refuses and fails. */
@NullMarked
package dev.weir.payments.simulator;

import org.jspecify.annotations.NullMarked;
