package dev.weir.benchmarks.spring;

import java.util.Objects;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.cloud.gateway.filter.ratelimit.RedisRateLimiter;
import org.springframework.cloud.gateway.route.RouteLocator;
import org.springframework.cloud.gateway.route.builder.RouteLocatorBuilder;
import org.springframework.context.annotation.Bean;
import reactor.core.publisher.Mono;

/** One route, and on it the limiter on Redis, by the address of the client. */
@SpringBootApplication(proxyBeanMethods = false)
public class SpringGatewayMain {
  public static void main(String[] arguments) {
    SpringApplication.run(SpringGatewayMain.class, arguments);
  }

  /** So much that nothing is refused. */
  @Bean
  RedisRateLimiter limiter() {
    return new RedisRateLimiter(1_000_000, 1_000_000_000, 1);
  }

  @Bean
  KeyResolver byAddress() {
    return exchange ->
        Mono.just(
            Objects.requireNonNull(exchange.getRequest().getRemoteAddress())
                .getAddress()
                .getHostAddress());
  }

  @Bean
  RouteLocator routes(
      RouteLocatorBuilder builder,
      RedisRateLimiter limiter,
      KeyResolver byAddress,
      @Value("${bench.upstream}") String upstream) {
    return builder
        .routes()
        .route(
            "bench",
            route ->
                route
                    .path("/**")
                    .filters(
                        filters ->
                            filters.requestRateLimiter(
                                limit -> limit.setRateLimiter(limiter).setKeyResolver(byAddress)))
                    .uri(upstream))
        .build();
  }
}
