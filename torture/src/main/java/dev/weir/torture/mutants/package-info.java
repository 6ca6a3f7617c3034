/** Builds with a planted fault, which the hunt must find. */
@NullMarked
package dev.weir.torture.mutants;

import org.jspecify.annotations.NullMarked;
