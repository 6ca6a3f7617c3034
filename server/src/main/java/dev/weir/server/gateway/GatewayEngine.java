package dev.weir.server.gateway;

import dev.weir.TrustedProxies;
import dev.weir.routes.internal.RouteTable;
import dev.weir.rules.RuleEvaluator;
import dev.weir.server.metrics.GatewayMetrics;

/**
 * The routes, rules and metrics that the gateway works with.
 *
 * @param isBlocking whether a decision may wait for a remote store
 * @param proxies the proxies whose forwarding headers are trusted
 */
public record GatewayEngine(
    RouteTable routes,
    RuleEvaluator evaluator,
    boolean isBlocking,
    TrustedProxies proxies,
    GatewayMetrics metrics) {}
