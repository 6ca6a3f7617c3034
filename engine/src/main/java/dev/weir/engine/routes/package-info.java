/**
 * Routes of the gateway: how they are stored, and the table that a node looks them up in.
 *
 * <p>Start with {@link dev.weir.engine.routes.RouteTable}.
 */
@NullMarked
package dev.weir.engine.routes;

import org.jspecify.annotations.NullMarked;
