package dev.weir.spring.autoconfigure;

import dev.weir.TaskLog;
import dev.weir.TrustedProxies;
import dev.weir.internal.PeriodicTask;
import dev.weir.limits.LeaseStore;
import dev.weir.limits.Leases;
import dev.weir.limits.Limit;
import dev.weir.limits.LimitStore;
import dev.weir.limits.Limiter;
import dev.weir.limits.memory.MemoryLeaseStore;
import dev.weir.limits.memory.MemoryLimitStore;
import dev.weir.register.Change;
import dev.weir.rules.MemoryRules;
import dev.weir.rules.Rule;
import dev.weir.rules.RuleEvaluator;
import dev.weir.rules.RuleIndex;
import dev.weir.rules.Rules;
import dev.weir.spring.RuleProperties;
import dev.weir.spring.WeirProperties;
import dev.weir.spring.internal.gate.FlowObserver;
import dev.weir.spring.internal.gate.Gate;
import dev.weir.spring.internal.gate.RuleGate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Configures the gate according to the properties. A service may provide its own {@link Rules},
 * {@link LimitStore} or {@link LeaseStore}.
 */
@AutoConfiguration(
    after = {
      WeirRedisAutoConfiguration.class,
      WeirRemoteAutoConfiguration.class,
      WeirMetricsAutoConfiguration.class
    })
@ConditionalOnProperty(name = "weir.enabled", matchIfMissing = true)
@EnableConfigurationProperties(WeirProperties.class)
final class WeirAutoConfiguration {
  WeirAutoConfiguration(ConfigurableEnvironment environment) {
    EnvironmentVariables.requireKnown(environment);
  }

  @Bean
  @ConditionalOnMissingBean
  FlowObserver weirObserver() {
    return FlowObserver.NONE;
  }

  @Bean
  @ConditionalOnMissingBean
  TrustedProxies weirTrustedProxies(WeirProperties properties) {
    try {
      return TrustedProxies.of(properties.trustedProxies());
    } catch (IllegalArgumentException e) {
      throw new InvalidConfigurationPropertyValueException(
          "weir.trusted-proxies", properties.trustedProxies(), e.getMessage() + ".");
    }
  }

  /** Decides in this service, unless a remote Weir does. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingBean(Gate.class)
  static final class Here {
    private static final Logger log = LoggerFactory.getLogger(WeirAutoConfiguration.class);
    private static final Duration BETWEEN_READINGS = Duration.ofSeconds(10);

    @Bean
    @ConditionalOnMissingBean
    LimitStore weirLimitStore(WeirProperties properties) {
      requireMemory(properties);
      return new MemoryLimitStore();
    }

    @Bean
    @ConditionalOnMissingBean
    LeaseStore weirLeaseStore(WeirProperties properties) {
      requireMemory(properties);
      return new MemoryLeaseStore();
    }

    private static void requireMemory(WeirProperties properties) {
      if (properties.store() != WeirProperties.Store.MEMORY) {
        throw new InvalidConfigurationPropertyValueException(
            "weir.store", "redis", "The artifact weir-store-redis is not on the class path.");
      }
    }

    @Bean
    @ConditionalOnMissingBean
    Rules weirRules(WeirProperties properties) {
      // The rules may have applied on other instances for any length of time.
      MemoryRules rules = new MemoryRules(InstantSource.fixed(Instant.EPOCH));
      List<RuleProperties> given = properties.rules();
      for (int i = 0; i < given.size(); i++) {
        String place = "weir.rules[" + i + "]";
        Change<Rule> change = rules.create(RuleReader.read(place, given.get(i)), "properties");
        if (!(change instanceof Change.Done)) {
          throw new InvalidConfigurationPropertyValueException(
              place + ".name",
              given.get(i).name(),
              change instanceof Change.Taken
                  ? "Another rule has this name."
                  : "There may be at most " + Rules.MAX_RULES + " rules.");
        }
      }
      return rules;
    }

    @Bean
    RuleIndex weirRuleIndex(Rules rules, FlowObserver observer) {
      return new RuleIndex(rules, observer);
    }

    @Bean
    RuleGate.Stores weirStores(LimitStore counts, LeaseStore leases) {
      return new RuleGate.Stores(counts, leases);
    }

    @Bean
    RuleEvaluator.Stores weirEvaluatorStores(
        RuleGate.Stores stores, WeirProperties properties, FlowObserver observer) {
      if (properties.nodes() < 1 || properties.nodes() > Limit.MAX_NODES) {
        throw new InvalidConfigurationPropertyValueException(
            "weir.nodes", properties.nodes(), "It must be from 1 to " + Limit.MAX_NODES + ".");
      }
      return stores.withFailover(properties.nodes(), observer);
    }

    @Bean
    RuleEvaluator weirRuleEvaluator(
        RuleIndex index, RuleEvaluator.Stores stores, FlowObserver observer) {
      return new RuleEvaluator(index, stores, observer);
    }

    /** Counts in the store of the rules, which is closed as a separate bean. */
    @Bean(destroyMethod = "")
    @ConditionalOnMissingBean
    Limiter weirLimiter(RuleEvaluator.Stores stores, FlowObserver observer) {
      return Limiter.on(stores.counts()).observedBy(observer);
    }

    /** Holds leases in the store of the rules, which is closed as a separate bean. */
    @Bean(destroyMethod = "")
    @ConditionalOnMissingBean
    Leases weirLeases(RuleEvaluator.Stores stores) {
      return Leases.on(stores.leases());
    }

    @Bean
    RuleGate weirGate(RuleIndex index, RuleEvaluator evaluator, RuleGate.Stores stores) {
      return RuleGate.of(index, evaluator, stores);
    }

    @Bean
    PeriodicTask weirRenewalOfLeases(RuleEvaluator evaluator) {
      return upkeep("renewal of leases", evaluator::renewLeases, RuleEvaluator.BETWEEN_RENEWALS);
    }

    @Bean
    PeriodicTask weirReadingOfRules(RuleIndex index) {
      return upkeep("reading of rules", index::refresh, BETWEEN_READINGS);
    }

    private static PeriodicTask upkeep(String name, Runnable work, Duration every) {
      return new PeriodicTask(name, work, every, new TaskLog(log::info, log::warn, log::error));
    }
  }
}
