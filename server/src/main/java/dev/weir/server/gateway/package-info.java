/**
 * The reverse proxy and the endpoints for its routes. Requests arrive on their own port, are
 * checked against the rules, wait in queues if necessary, and are forwarded to the upstream of
 * their route.
 *
 * <p>A client connection belongs to one event loop, and so do the upstream connections that its
 * requests use: only the rules and the routes are shared between threads. Start with {@link
 * dev.weir.server.gateway.Gateway}; {@code Exchange} handles one request.
 */
@NullMarked
package dev.weir.server.gateway;

import org.jspecify.annotations.NullMarked;
