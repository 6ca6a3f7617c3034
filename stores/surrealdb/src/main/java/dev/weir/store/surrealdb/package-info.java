/**
 * Token buckets and leases in SurrealDB. Queries repeat core's transitions next to the state.
 *
 * <p>Start with {@link dev.weir.store.surrealdb.SurrealDb}.
 */
@NullMarked
package dev.weir.store.surrealdb;

import org.jspecify.annotations.NullMarked;
