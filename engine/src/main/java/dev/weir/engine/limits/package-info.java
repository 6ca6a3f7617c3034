/**
 * Limits on a store: {@link dev.weir.engine.limits.Limiter} for rates, {@link
 * dev.weir.engine.limits.Leases} for concurrency, failover, and the ports that stores implement.
 *
 * <p>Start with {@link dev.weir.engine.limits.Limiter}.
 */
@NullMarked
package dev.weir.engine.limits;

import org.jspecify.annotations.NullMarked;
