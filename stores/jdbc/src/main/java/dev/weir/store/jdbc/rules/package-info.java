/** Versioned rules and routes in PostgreSQL. */
@NullMarked
package dev.weir.store.jdbc.rules;

import org.jspecify.annotations.NullMarked;
