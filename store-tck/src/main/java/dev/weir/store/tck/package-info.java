/**
 * What every store must prove. A store's test implements {@link dev.weir.store.tck.SlotLedgerKit},
 * {@link dev.weir.store.tck.LimitStoreKit} or {@link dev.weir.store.tck.LeaseStoreKit} and inherits
 * its claims.
 */
package dev.weir.store.tck;
