package dev.weir.spring.autoconfigure;

import dev.weir.spring.internal.gate.Gate;
import dev.weir.spring.internal.gate.OriginalRequests;
import dev.weir.spring.internal.reactive.NettyOrigin;
import dev.weir.spring.internal.servlet.TomcatPeerCustomizer;
import org.apache.catalina.valves.ValveBase;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.tomcat.TomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Makes the original requests of the embedded web server available to the filters. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnClass(WebServerFactoryCustomizer.class)
@ConditionalOnBean(Gate.class)
final class WeirWebServerAutoConfiguration {
  /** A service that has Tomcat. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({TomcatWebServerFactory.class, ValveBase.class})
  static final class WithTomcat {
    @Bean
    TomcatPeerCustomizer weirTomcatPeerCustomizer() {
      return new TomcatPeerCustomizer();
    }
  }

  /** A service that has Reactor Netty, below which {@link NettyOrigin} reads. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(NettyReactiveWebServerFactory.class)
  static final class WithNetty {
    @Bean
    OriginalRequests weirNettyRequests() {
      return server -> server instanceof NettyReactiveWebServerFactory;
    }
  }

  /** A servlet application. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
  static final class OnServlets {
    @Bean
    ForwardedHeadersCheck weirForwardedHeadersCheck(
        Environment environment, ObjectProvider<OriginalRequests> known) {
      return new ForwardedHeadersCheck(environment, known.stream().toList(), false);
    }
  }

  /** A WebFlux application. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
  static final class OnWebFlux {
    @Bean
    ForwardedHeadersCheck weirForwardedHeadersCheck(
        Environment environment, ObjectProvider<OriginalRequests> known) {
      return new ForwardedHeadersCheck(environment, known.stream().toList(), true);
    }
  }
}
