/**
 * The embedded PostgreSQL of a node without an external database: unpacked, started, supervised and
 * stopped.
 */
@NullMarked
package dev.weir.node.stores.postgresql;

import org.jspecify.annotations.NullMarked;
