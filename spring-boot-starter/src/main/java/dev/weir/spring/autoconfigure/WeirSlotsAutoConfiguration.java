package dev.weir.spring.autoconfigure;

import dev.weir.TaskLog;
import dev.weir.slots.SlotScheduler;
import dev.weir.slots.SlotStore;
import dev.weir.spring.WeirProperties;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;

/**
 * A {@link SlotScheduler} on the store that the properties name, or on the service's own {@link
 * SlotStore}.
 */
@AutoConfiguration(after = WeirJdbcAutoConfiguration.class)
@ConditionalOnProperty(name = "weir.enabled", matchIfMissing = true)
@EnableConfigurationProperties(WeirProperties.class)
final class WeirSlotsAutoConfiguration {
  private static final Logger log = LoggerFactory.getLogger(SlotScheduler.class);

  @Bean(destroyMethod = "")
  @ConditionalOnMissingBean({SlotStore.class, SlotScheduler.class})
  @ConditionalOnProperty(name = "weir.slots.store", havingValue = "memory")
  SlotStore weirSlotStore() {
    return SlotStore.inMemory();
  }

  /** Reached only if the artifact is missing: otherwise it has provided a store. */
  @Bean
  @ConditionalOnMissingBean({SlotStore.class, SlotScheduler.class})
  @ConditionalOnProperty(name = "weir.slots.store", havingValue = "postgresql")
  @SuppressWarnings("DoNotCallSuggester")
  SlotStore weirMissingSlotStore() {
    throw new InvalidConfigurationPropertyValueException(
        "weir.slots.store", "postgresql", "The artifact weir-store-jdbc is not on the class path.");
  }

  /** The same for slots of a server, which only workflows use. */
  @Bean
  @ConditionalOnMissingClass("dev.weir.workflows.RemoteSlots")
  @ConditionalOnProperty(name = "weir.slots.store", havingValue = "remote")
  @SuppressWarnings("DoNotCallSuggester")
  SlotStore weirMissingWorkflows() {
    throw new InvalidConfigurationPropertyValueException(
        "weir.slots.store", "remote", "The artifact weir-workflows is not on the class path.");
  }

  /** Closes its store when it is closed. */
  @Bean
  @ConditionalOnMissingBean
  @ConditionalOnBean(SlotStore.class)
  SlotScheduler weirSlotScheduler(SlotStore store) {
    return SlotScheduler.builder(store).log(new TaskLog(log::info, log::warn, log::error)).build();
  }
}
