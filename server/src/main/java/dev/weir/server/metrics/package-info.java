/** Prometheus metrics and log lines for events of the engine, the gateway and Envoy's service. */
@NullMarked
package dev.weir.server.metrics;

import org.jspecify.annotations.NullMarked;
