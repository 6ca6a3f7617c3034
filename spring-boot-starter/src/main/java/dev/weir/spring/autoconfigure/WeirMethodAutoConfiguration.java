package dev.weir.spring.autoconfigure;

import dev.weir.rules.RuleEvaluator;
import dev.weir.rules.RuleIndex;
import dev.weir.spring.RateLimited;
import dev.weir.spring.WeirProperties;
import dev.weir.spring.internal.gate.Gate;
import dev.weir.spring.internal.gate.RuleGate;
import dev.weir.spring.internal.methods.LimitedMethods;
import dev.weir.spring.internal.methods.MethodGate;
import dev.weir.spring.internal.methods.RateLimitedInterceptor;
import dev.weir.spring.internal.methods.RateLimitedPostProcessor;
import dev.weir.spring.internal.reactive.ReactiveRefusal;
import dev.weir.spring.internal.servlet.ServletRefusal;
import java.util.concurrent.Executor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.web.server.WebExceptionHandler;
import org.springframework.web.servlet.HandlerExceptionResolver;

/** Limits methods that have {@link RateLimited}. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnBean(Gate.class)
final class WeirMethodAutoConfiguration {
  private static final Executor CALLER = Runnable::run;

  /**
   * Static, with dependencies that are resolved later, because it is created before all other
   * beans.
   */
  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static RateLimitedPostProcessor weirRateLimitedPostProcessor(
      ObjectProvider<LimitedMethods> methods, ObjectProvider<MethodGate> gate) {
    return new RateLimitedPostProcessor(
        new RateLimitedInterceptor(methods::getObject, gate::getObject));
  }

  @Bean
  LimitedMethods weirLimitedMethods(
      ConfigurableListableBeanFactory beans,
      ObjectProvider<RuleIndex> index,
      WeirProperties properties) {
    return new LimitedMethods(beans, index, properties);
  }

  @Bean
  @ConditionalOnBean(RuleEvaluator.class)
  MethodGate weirMethodGate(RuleIndex index, RuleEvaluator evaluator, RuleGate.Stores stores) {
    return new MethodGate(index, evaluator, stores.isRemote() ? Thread.ofVirtual()::start : CALLER);
  }

  /** Handles refusals in a servlet application. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
  @ConditionalOnClass(HandlerExceptionResolver.class)
  static final class OnServlets {
    @Bean
    ServletRefusal weirServletRefusal() {
      return new ServletRefusal();
    }
  }

  /** Handles refusals in a WebFlux application. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
  @ConditionalOnClass(WebExceptionHandler.class)
  static final class OnWebFlux {
    @Bean
    ReactiveRefusal weirReactiveRefusal() {
      return new ReactiveRefusal();
    }
  }
}
