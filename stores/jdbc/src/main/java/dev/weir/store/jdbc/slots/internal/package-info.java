/**
 * The ledger, the configurations and the upkeep of slots in PostgreSQL. Not for use outside of
 * Weir: it may change in any release.
 */
@NullMarked
package dev.weir.store.jdbc.slots.internal;

import org.jspecify.annotations.NullMarked;
