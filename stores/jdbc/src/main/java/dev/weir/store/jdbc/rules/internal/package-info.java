/** Rules and routes in PostgreSQL. Not for use outside of Weir: it may change in any release. */
@NullMarked
package dev.weir.store.jdbc.rules.internal;

import org.jspecify.annotations.NullMarked;
