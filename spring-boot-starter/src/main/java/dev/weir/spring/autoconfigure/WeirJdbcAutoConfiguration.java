package dev.weir.spring.autoconfigure;

import dev.weir.slots.SlotScheduler;
import dev.weir.slots.SlotStore;
import dev.weir.spring.WeirProperties;
import dev.weir.store.jdbc.slots.JdbcSlotStore;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;

/**
 * Stores slots in the service's database, if the properties request it and the store is present.
 * Only if they do: a library that happens to be on the class path does not create tables.
 */
@AutoConfiguration(
    afterName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
@ConditionalOnClass(JdbcSlotStore.class)
@ConditionalOnProperty(name = "weir.enabled", matchIfMissing = true)
@ConditionalOnProperty(name = "weir.slots.store", havingValue = "postgresql")
@EnableConfigurationProperties(WeirProperties.class)
final class WeirJdbcAutoConfiguration {
  @Bean(destroyMethod = "")
  @ConditionalOnMissingBean({SlotStore.class, SlotScheduler.class})
  SlotStore weirSlotStore(ObjectProvider<DataSource> databases) {
    DataSource database = databases.getIfUnique();
    if (database == null) {
      throw new InvalidConfigurationPropertyValueException(
          "weir.slots.store",
          "postgresql",
          "There must be one DataSource, or a primary one; else define a bean of type SlotStore.");
    }
    return JdbcSlotStore.on(database);
  }
}
