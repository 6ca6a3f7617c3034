package dev.weir.spring;

import dev.weir.engine.rules.TrustedProxies;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.web.server.WebFilter;
import reactor.netty.http.server.HttpServerRequest;

/** The filter of a WebFlux application. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(WebFilter.class)
@ConditionalOnBean(Gate.class)
final class WeirReactiveAutoConfiguration {
  private static final int EARLY = Ordered.HIGHEST_PRECEDENCE + 10;

  @Bean
  ReactiveGateFilter weirGateFilter(Gate gate, TrustedProxies proxies, ReactiveOrigin origin) {
    return new ReactiveGateFilter(gate.on(Thread.ofVirtual()::start), proxies, origin, EARLY);
  }

  /** An application on Reactor Netty, the usual web server. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(HttpServerRequest.class)
  static final class OnNetty {
    @Bean
    ReactiveOrigin weirOrigin() {
      return new NettyOrigin();
    }
  }

  /** An application on another web server. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingClass("reactor.netty.http.server.HttpServerRequest")
  static final class OnAnother {
    private static final String STRATEGY = "server.forward-headers-strategy";

    /**
     * Rejects a configuration that would let clients forge the address by which they are counted.
     */
    @Bean
    ReactiveOrigin weirOrigin(Environment environment) {
      String strategy = environment.getProperty(STRATEGY, "none");
      if (strategy.equalsIgnoreCase("framework")) {
        throw new InvalidConfigurationPropertyValueException(
            STRATEGY,
            strategy,
            "With it, any client can forge the address that is counted."
                + " Leave it out and set weir.trusted-proxies.");
      }
      return ReactiveOrigin.UNKNOWN;
    }
  }
}
