/** Readings of the clock of stores. Not for use outside of Weir: it may change in any release. */
@NullMarked
package dev.weir.store.jdbc.clock.internal;

import org.jspecify.annotations.NullMarked;
