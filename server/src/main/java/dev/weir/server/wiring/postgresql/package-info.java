/**
 * The embedded PostgreSQL of a node that is not given a database: unpacked, started, supervised and
 * stopped.
 */
@NullMarked
package dev.weir.server.wiring.postgresql;

import org.jspecify.annotations.NullMarked;
