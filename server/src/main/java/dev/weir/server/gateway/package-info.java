/**
 * The reverse proxy, and the endpoints of its routes: requests arrive on a port of their own, are
 * decided by rules, wait in their queues, and are sent on to the upstream of their route.
 *
 * <p>A connection belongs to one event loop, and so do the upstream connections that its requests
 * use: only the rules and the routes are shared between threads. Start with {@link
 * dev.weir.server.gateway.Gateway}; {@code Exchange} is the life of one request.
 */
@NullMarked
package dev.weir.server.gateway;

import org.jspecify.annotations.NullMarked;
