/**
 * Runs limits on a store: {@link dev.weir.engine.limits.Limiter} for what passes now or not, {@link
 * dev.weir.engine.limits.Leases} for how many at the same time, the ports that stores implement,
 * and the store in memory.
 *
 * <p>Start with {@link dev.weir.engine.limits.Limiter}.
 */
package dev.weir.engine.limits;
