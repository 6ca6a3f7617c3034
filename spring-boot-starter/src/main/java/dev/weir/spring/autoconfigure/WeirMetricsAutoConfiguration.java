package dev.weir.spring.autoconfigure;

import dev.weir.spring.internal.gate.FlowObserver;
import dev.weir.spring.internal.gate.MeteredFlow;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** Counts the results of requests, if the service has a meter registry. */
@AutoConfiguration(
    afterName =
        "org.springframework.boot.micrometer.metrics.autoconfigure"
            + ".CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(MeterRegistry.class)
@ConditionalOnProperty(name = "weir.enabled", matchIfMissing = true)
final class WeirMetricsAutoConfiguration {
  @Bean
  FlowObserver weirObserver(MeterRegistry registry) {
    return new MeteredFlow(registry);
  }
}
