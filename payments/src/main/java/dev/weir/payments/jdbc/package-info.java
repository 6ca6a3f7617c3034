/** Payments and their feeds, in PostgreSQL. */
@NullMarked
package dev.weir.payments.jdbc;

import org.jspecify.annotations.NullMarked;
