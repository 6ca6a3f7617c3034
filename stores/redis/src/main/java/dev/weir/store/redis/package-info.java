/**
 * Limits and leases in Redis or Valkey: single server, Sentinel or Cluster. Scripts repeat core's
 * transitions on the server, next to the state.
 *
 * <p>Start with {@link dev.weir.store.redis.Redis}.
 */
@NullMarked
package dev.weir.store.redis;

import org.jspecify.annotations.NullMarked;
