/** Limits, leases and their upkeep in PostgreSQL or Oracle. */
@NullMarked
package dev.weir.store.jdbc.limits;

import org.jspecify.annotations.NullMarked;
