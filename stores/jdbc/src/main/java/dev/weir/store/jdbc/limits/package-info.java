/** Limits, leases and their upkeep in PostgreSQL. */
@NullMarked
package dev.weir.store.jdbc.limits;

import org.jspecify.annotations.NullMarked;
