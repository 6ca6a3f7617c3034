/** Limits and leases: a load, and a check of L1 to L9. */
@NullMarked
package dev.weir.torture.limits;

import org.jspecify.annotations.NullMarked;
