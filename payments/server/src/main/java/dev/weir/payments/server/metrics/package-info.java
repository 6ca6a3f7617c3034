/** Prometheus metrics of payments. */
@NullMarked
package dev.weir.payments.server.metrics;

import org.jspecify.annotations.NullMarked;
