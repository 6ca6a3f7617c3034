package dev.weir.server.gateway;

import dev.weir.engine.routes.RouteTable;
import dev.weir.engine.rules.RuleEvaluator;
import dev.weir.engine.rules.TrustedProxies;
import dev.weir.server.metrics.GatewayMetrics;

/**
 * What the gateway decides and routes by.
 *
 * @param isBlocking whether a decision may wait for a store elsewhere
 * @param proxies whose word is taken for where a request comes from
 */
public record GatewayEngine(
    RouteTable routes,
    RuleEvaluator evaluator,
    boolean isBlocking,
    TrustedProxies proxies,
    GatewayMetrics metrics) {}
