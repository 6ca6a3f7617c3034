package dev.weir.spring.autoconfigure;

import dev.weir.TrustedProxies;
import dev.weir.spring.internal.gate.Gate;
import dev.weir.spring.internal.servlet.ServletGateFilter;
import dev.weir.spring.internal.servlet.ServletQueueFilter;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.web.filter.HiddenHttpMethodFilter;

/** The filters of a servlet application. */
// Comes after all other configurations, so that its filter is the last.
@AutoConfiguration(after = WeirAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({Filter.class, FilterRegistrationBean.class})
@ConditionalOnBean(Gate.class)
final class WeirServletAutoConfiguration {
  @Bean
  FilterRegistrationBean<ServletGateFilter> weirGateFilter(
      Gate gate,
      TrustedProxies proxies,
      ObjectProvider<ServletQueueFilter> queue,
      ObjectProvider<HiddenHttpMethodFilter> methods,
      ObjectProvider<FilterRegistrationBean<? extends HiddenHttpMethodFilter>> registered) {
    List<Integer> before = new ArrayList<>();
    List<Filter> later = new ArrayList<>();
    for (HiddenHttpMethodFilter method : methods) {
      FilterOrder.of(method).ifPresentOrElse(before::add, () -> later.add(method));
    }
    for (FilterRegistrationBean<? extends HiddenHttpMethodFilter> method : registered) {
      Filter own = method.getFilter();
      if (method.isEnabled() && own != null) {
        FilterOrder.of(method).ifPresentOrElse(before::add, () -> later.add(own));
      }
    }
    FilterRegistrationBean<ServletGateFilter> filter =
        new FilterRegistrationBean<>(
            new ServletGateFilter(gate, proxies, queue.getIfAvailable() != null, later));
    filter.setOrder(FilterOrder.after(before.stream().mapToInt(Integer::intValue)));
    filter.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC));
    return filter;
  }

  /** Waiting without a thread, if the properties request it. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnProperty(name = "weir.servlet.async-queue", havingValue = "true")
  static final class AsyncQueue {
    @Bean
    ServletQueueFilter weirQueueFilter(QueueTimer timer) {
      return new ServletQueueFilter(timer.thread());
    }

    @Bean
    QueueTimer weirQueueTimer() {
      return new QueueTimer(
          Executors.newSingleThreadScheduledExecutor(
              Thread.ofPlatform().daemon().name("weir-queue").factory()));
    }
  }

  /** The one thread that times all waiting requests. A separate type, so that it is not shared. */
  record QueueTimer(ScheduledExecutorService thread) implements AutoCloseable {
    @Override
    public void close() {
      thread.shutdownNow();
    }
  }
}
