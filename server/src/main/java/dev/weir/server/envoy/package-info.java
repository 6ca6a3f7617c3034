/**
 * gRPC: Envoy's rate limit service, answered by rules.
 *
 * <p>Start with {@link dev.weir.server.envoy.EnvoyServer}.
 */
package dev.weir.server.envoy;
