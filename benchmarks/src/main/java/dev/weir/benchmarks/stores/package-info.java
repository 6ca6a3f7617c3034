/** Stores that are not the usual ones: what their guarantees cost. */
@NullMarked
package dev.weir.benchmarks.stores;

import org.jspecify.annotations.NullMarked;
