/**
 * The reverse proxy: requests come in on a port of its own, are decided by rules, wait in their
 * queues, and are sent on to the upstream of their route.
 *
 * <p>A connection belongs to one event loop, and so do the connections to upstreams that its
 * requests take: nothing here is shared between threads but the rules and the routes. Start with
 * {@link dev.weir.server.gateway.Gateway}; a request's life is told by {@code Exchange}.
 */
package dev.weir.server.gateway;
