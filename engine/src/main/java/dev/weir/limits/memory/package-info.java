/**
 * The stores of limits and leases in the memory of this process.
 *
 * <p>Start with {@link dev.weir.limits.memory.MemoryLimitStore}.
 */
@NullMarked
package dev.weir.limits.memory;

import org.jspecify.annotations.NullMarked;
