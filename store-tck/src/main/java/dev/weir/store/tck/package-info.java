/**
 * What every store must prove. A store's test implements {@link dev.weir.store.tck.SlotLedgerKit}
 * and inherits its claims.
 */
package dev.weir.store.tck;
