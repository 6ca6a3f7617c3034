/** Claims that every store of limits, leases or definitions must satisfy. */
@NullMarked
package dev.weir.store.tck.limits;

import org.jspecify.annotations.NullMarked;
