/**
 * Limits and leases in Redis or Valkey: single, Sentinel or Cluster. Scripts repeat the transitions
 * of core where the counts lie.
 *
 * <p>Start with {@link dev.weir.store.redis.Redis}.
 */
package dev.weir.store.redis;
