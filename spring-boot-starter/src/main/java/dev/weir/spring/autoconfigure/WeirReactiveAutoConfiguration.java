package dev.weir.spring.autoconfigure;

import dev.weir.TrustedProxies;
import dev.weir.spring.internal.gate.Gate;
import dev.weir.spring.internal.reactive.NettyOrigin;
import dev.weir.spring.internal.reactive.ReactiveGateFilter;
import dev.weir.spring.internal.reactive.ReactiveOrigin;
import dev.weir.spring.internal.reactive.TomcatReactiveOrigin;
import java.util.List;
import java.util.OptionalInt;
import org.apache.catalina.connector.RequestFacade;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
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
        order(methods.stream().toList()));
  }

  /**
   * Returns the position of the gate. Of filters in the last position, those of the service come
   * first.
   */
  private static int order(List<HiddenHttpMethodFilter> methods) {
    return methods.stream().allMatch(filter -> FilterOrder.of(filter).isPresent())
        ? FilterOrder.after(methods.stream().map(FilterOrder::of).mapToInt(OptionalInt::getAsInt))
        : Ordered.LOWEST_PRECEDENCE;
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
