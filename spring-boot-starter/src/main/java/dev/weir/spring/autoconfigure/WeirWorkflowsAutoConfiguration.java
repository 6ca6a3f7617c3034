package dev.weir.spring.autoconfigure;

import dev.weir.slots.SlotScheduler;
import dev.weir.spring.WeirProperties;
import dev.weir.workflows.PacedStarter;
import dev.weir.workflows.RemoteSlots;
import dev.weir.workflows.SlotSource;
import io.temporal.client.WorkflowClient;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/**
 * A {@link PacedStarter} for the service's Temporal client, with the slots of its scheduler or of a
 * Weir server.
 */
@AutoConfiguration(
    after = WeirSlotsAutoConfiguration.class,
    afterName = "io.temporal.spring.boot.autoconfigure.RootNamespaceAutoConfiguration")
@ConditionalOnClass({PacedStarter.class, WorkflowClient.class})
@ConditionalOnProperty(name = "weir.enabled", matchIfMissing = true)
@EnableConfigurationProperties(WeirProperties.class)
final class WeirWorkflowsAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean(SlotSource.class)
  @ConditionalOnProperty(name = "weir.slots.store", havingValue = "remote")
  RemoteSlots weirRemoteSlots(WeirProperties properties) {
    WeirProperties.Remote remote = properties.remote();
    String key = RemoteSettings.key(remote);
    return new RemoteSlots(
        new RemoteSlots.Settings(
            RemoteSettings.url(remote), key == null ? "" : key, RemoteSettings.timeout(remote)));
  }

  @Bean
  @ConditionalOnMissingBean(SlotSource.class)
  @ConditionalOnBean(SlotScheduler.class)
  SlotSource weirSlotSource(SlotScheduler scheduler) {
    return SlotSource.of(scheduler);
  }

  @Bean
  @ConditionalOnMissingBean
  @ConditionalOnBean({WorkflowClient.class, SlotSource.class})
  PacedStarter weirPacedStarter(WorkflowClient client, SlotSource slots) {
    return PacedStarter.of(client, slots);
  }
}
