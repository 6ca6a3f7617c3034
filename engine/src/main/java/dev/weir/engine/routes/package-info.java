/**
 * Where the gateway sends requests: routes, as they are kept and as a node knows them.
 *
 * <p>Start with {@link dev.weir.engine.routes.RouteTable}.
 */
package dev.weir.engine.routes;
