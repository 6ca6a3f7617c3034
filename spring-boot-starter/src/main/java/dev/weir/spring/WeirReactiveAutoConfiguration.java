package dev.weir.spring;

import dev.weir.engine.rules.TrustedProxies;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.web.server.WebFilter;

/** The filter of a service on WebFlux. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(WebFilter.class)
@ConditionalOnBean(Gate.class)
final class WeirReactiveAutoConfiguration {
  private static final Logger log = LoggerFactory.getLogger(WeirReactiveAutoConfiguration.class);
  private static final int EARLY = Ordered.HIGHEST_PRECEDENCE + 10;

  @Bean
  ReactiveGateFilter weirGateFilter(Gate gate, TrustedProxies proxies, Environment environment) {
    String strategy = environment.getProperty("server.forward-headers-strategy", "none");
    if (!strategy.equalsIgnoreCase("none")) {
      log.warn(
          "server.forward-headers-strategy is {}: anybody may make up the address that is counted."
              + " Leave it out and set weir.trusted-proxies.",
          strategy);
    }
    return new ReactiveGateFilter(gate.on(Thread.ofVirtual()::start), proxies, EARLY);
  }
}
