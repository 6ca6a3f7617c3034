/**
 * Envoy's rate limit service over gRPC, backed by rules.
 *
 * <p>Start with {@link dev.weir.server.envoy.EnvoyServer}.
 */
@NullMarked
package dev.weir.server.envoy;

import org.jspecify.annotations.NullMarked;
