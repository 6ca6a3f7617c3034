/**
 * Payments that arrive in feeds and run at the times of their slots: the values, and what stores
 * them. {@link dev.weir.payments.workflows} makes them, {@link dev.weir.payments.jdbc} keeps them
 * in PostgreSQL.
 */
@NullMarked
package dev.weir.payments;

import org.jspecify.annotations.NullMarked;
