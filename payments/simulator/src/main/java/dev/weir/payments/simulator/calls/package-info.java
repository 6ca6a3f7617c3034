/** The calls that a downstream API received: their record, and how many fell into each second. */
@NullMarked
package dev.weir.payments.simulator.calls;

import org.jspecify.annotations.NullMarked;
