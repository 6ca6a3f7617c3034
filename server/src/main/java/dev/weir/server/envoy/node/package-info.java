/** Envoy's rate limit service on a node: its settings and its port. */
@NullMarked
package dev.weir.server.envoy.node;

import org.jspecify.annotations.NullMarked;
