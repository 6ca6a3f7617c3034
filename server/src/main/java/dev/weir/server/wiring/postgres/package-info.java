/**
 * The embedded PostgreSQL of a node that is not given a database: unpacked, started, supervised and
 * stopped.
 */
@NullMarked
package dev.weir.server.wiring.postgres;

import org.jspecify.annotations.NullMarked;
