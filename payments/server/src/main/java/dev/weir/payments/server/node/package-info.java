/** Payments on a node: their settings and stores, Temporal, and the payment API. */
@NullMarked
package dev.weir.payments.server.node;

import org.jspecify.annotations.NullMarked;
