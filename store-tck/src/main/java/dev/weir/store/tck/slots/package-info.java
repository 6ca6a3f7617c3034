/** Claims that every slot ledger must satisfy. */
@NullMarked
package dev.weir.store.tck.slots;

import org.jspecify.annotations.NullMarked;
