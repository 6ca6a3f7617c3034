package dev.weir.spring.autoconfigure;

import dev.weir.spring.WeirProperties;
import dev.weir.spring.internal.gate.FlowObserver;
import dev.weir.spring.internal.gate.RemoteGate;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Lets a remote Weir decide, if the properties request it. */
@AutoConfiguration
@ConditionalOnProperty(name = "weir.enabled", matchIfMissing = true)
@ConditionalOnProperty(name = "weir.store", havingValue = "remote")
@EnableConfigurationProperties(WeirProperties.class)
final class WeirRemoteAutoConfiguration {
  @Bean
  RemoteGate weirGate(WeirProperties properties, FlowObserver observer) {
    return new RemoteGate(RemoteSettings.read(properties), observer);
  }
}
