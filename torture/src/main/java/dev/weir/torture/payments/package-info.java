/** Feeds of payments, which are made by an unreliable payment API. */
@NullMarked
package dev.weir.torture.payments;

import org.jspecify.annotations.NullMarked;
