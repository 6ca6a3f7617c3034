/**
 * Transactions, statements and the listener for changes. Not for use outside of Weir: it may change
 * in any release.
 */
@NullMarked
package dev.weir.store.jdbc.internal;

import org.jspecify.annotations.NullMarked;
