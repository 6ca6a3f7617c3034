package dev.weir.server.gateway;

import dev.weir.engine.routes.RouteTable;
import dev.weir.engine.routes.Routes;

/**
 * What the endpoints of routes work on.
 *
 * @param routes where routes are kept
 * @param book the routes as this node knows them
 */
public record Routing(Routes routes, RouteTable book) {}
