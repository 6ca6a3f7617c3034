/**
 * The compatibility kit that every store must pass. A store's test implements {@link
 * dev.weir.store.tck.slots.SlotLedgerKit}, {@link dev.weir.store.tck.limits.LimitStoreKit} or
 * {@link dev.weir.store.tck.limits.LeaseStoreKit} and inherits its claims.
 */
@NullMarked
package dev.weir.store.tck;

import org.jspecify.annotations.NullMarked;
