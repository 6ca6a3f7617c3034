/** Events of the engine, the gateway and Envoy's service as Prometheus metrics and log lines. */
@NullMarked
package dev.weir.server.metrics;

import org.jspecify.annotations.NullMarked;
