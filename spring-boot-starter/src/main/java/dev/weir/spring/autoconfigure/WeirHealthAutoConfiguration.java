package dev.weir.spring.autoconfigure;

import dev.weir.spring.internal.gate.Gate;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Adds to the service's health whether requests can be decided. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(Gate.class)
@ConditionalOnEnabledHealthIndicator("weir")
final class WeirHealthAutoConfiguration {
  @Bean
  HealthIndicator weirHealthIndicator(Gate gate) {
    return () -> health(gate.status());
  }

  private static Health health(Gate.Status status) {
    Health.Builder health = status.problem().isEmpty() ? Health.up() : Health.down();
    health.withDetails(status.details());
    if (!status.problem().isEmpty()) {
      health.withDetail("problem", status.problem());
    }
    return health.build();
  }
}
