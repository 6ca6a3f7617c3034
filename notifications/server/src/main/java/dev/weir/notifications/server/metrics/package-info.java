/** Prometheus metrics of messages and of their analytics. */
@NullMarked
package dev.weir.notifications.server.metrics;

import org.jspecify.annotations.NullMarked;
