/**
 * Limits as pure functions. Each limit is one transition over an immutable state, {@link
 * dev.weir.core.limits.Usage}: no clock, no thread, no store.
 *
 * <p>Start with {@link dev.weir.core.limits.Limit}.
 */
@NullMarked
package dev.weir.core.limits;

import org.jspecify.annotations.NullMarked;
