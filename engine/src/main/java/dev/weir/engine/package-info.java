/** Runs the pure core on a store and a clock. */
@NullMarked
package dev.weir.engine;

import org.jspecify.annotations.NullMarked;
