/**
 * The common parts of all HTTP endpoints: problems, JSON, fields, authentication, connections and
 * draining.
 */
@NullMarked
package dev.weir.server.http;

import org.jspecify.annotations.NullMarked;
