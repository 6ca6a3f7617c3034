/** Payments and their feeds, in PostgreSQL. */
@NullMarked
package dev.weir.store.jdbc.payments;

import org.jspecify.annotations.NullMarked;
