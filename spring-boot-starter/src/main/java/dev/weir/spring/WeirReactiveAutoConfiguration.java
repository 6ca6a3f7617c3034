package dev.weir.spring;

import dev.weir.engine.rules.TrustedProxies;
import org.apache.catalina.connector.RequestFacade;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.filter.reactive.HiddenHttpMethodFilter;
import org.springframework.web.server.WebFilter;
import reactor.netty.http.server.HttpServerRequest;

/** The filter of a WebFlux application. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(WebFilter.class)
@ConditionalOnBean(Gate.class)
final class WeirReactiveAutoConfiguration {
  @Bean
  ReactiveGateFilter weirGateFilter(
      Gate gate,
      TrustedProxies proxies,
      ObjectProvider<ReactiveOrigin> origins,
      ObjectProvider<HiddenHttpMethodFilter> methods) {
    return new ReactiveGateFilter(
        gate.on(Thread.ofVirtual()::start),
        proxies,
        origins.stream().toList(),
        FilterOrder.after(methods.stream()));
  }

  /** A service that has Reactor Netty, the usual web server. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(HttpServerRequest.class)
  static final class WithNetty {
    @Bean
    ReactiveOrigin weirNettyOrigin() {
      return new NettyOrigin();
    }
  }

  /** A service that has Tomcat. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(RequestFacade.class)
  static final class WithTomcat {
    @Bean
    ReactiveOrigin weirTomcatOrigin() {
      return new TomcatReactiveOrigin();
    }
  }
}
