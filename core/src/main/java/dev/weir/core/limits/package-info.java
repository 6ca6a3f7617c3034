/**
 * What a limit is and decides. Each limit is one transition over an immutable state, {@link
 * dev.weir.core.limits.Usage}: no clock, no thread, no store.
 *
 * <p>Start with {@link dev.weir.core.limits.Limit}.
 */
package dev.weir.core.limits;
