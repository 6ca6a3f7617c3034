/**
 * What every store must prove. A store's test implements {@link
 * dev.weir.store.tck.slots.SlotLedgerKit}, {@link dev.weir.store.tck.limits.LimitStoreKit} or
 * {@link dev.weir.store.tck.limits.LeaseStoreKit} and inherits its claims.
 */
package dev.weir.store.tck;
