/**
 * Limits: what they decide, as pure functions ({@link dev.weir.limits.Limit}), and the same on a
 * store and a clock: {@link dev.weir.limits.Limiter} for rates, {@link dev.weir.limits.Leases} for
 * concurrency, failover, and the ports that stores implement.
 *
 * <p>Start with {@link dev.weir.limits.Limiter}.
 */
@NullMarked
package dev.weir.limits;

import org.jspecify.annotations.NullMarked;
