package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.limits.Concurrency;
import dev.weir.limits.Leases;
import dev.weir.limits.Limiter;
import dev.weir.limits.Policy;
import dev.weir.limits.TokenBucket;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotScheduler;
import dev.weir.slots.SlotStore;
import dev.weir.spring.autoconfigure.Service;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The classes of the library as beans of a service. */
final class LibraryBeansTest {
  private static final Policy MAILS =
      Policy.of("mails", TokenBucket.of(1).refill(1, Duration.ofHours(1)));

  /** No connection is made to it. */
  private static final DataSource NOWHERE =
      (DataSource)
          Proxy.newProxyInstance(
              LibraryBeansTest.class.getClassLoader(),
              new Class<?>[] {DataSource.class},
              (proxy, method, args) ->
                  switch (method.getName()) {
                    case "equals" ->
                        System.identityHashCode(args[0]) == System.identityHashCode(proxy);
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "toString" -> "nowhere";
                    default -> throw new UnsupportedOperationException(method.getName());
                  });

  private static DataSource postgresql = NOWHERE;

  @Configuration(proxyBeanMethods = false)
  static class OwnLimiter {
    @Bean
    Limiter ownLimiter() {
      return Limiter.inMemory();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnSlotStore {
    private final AtomicInteger closed = new AtomicInteger();

    @Bean
    AtomicInteger closed() {
      return closed;
    }

    @Bean(destroyMethod = "")
    SlotStore ownSlots() {
      SlotStore memory = SlotStore.inMemory();
      return SlotStore.of(
          memory.ledger(), memory.configs(), memory.upkeep(), closed::incrementAndGet);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Database {
    @Bean
    DataSource database() {
      return postgresql;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class AnotherDatabase {
    @Bean
    DataSource another() {
      return NOWHERE;
    }
  }

  @Test
  void limitsAndLeasesAreThere() {
    try (Service service = Service.bare(Map.of())) {
      Limiter limiter = service.part(Limiter.class);
      assertThat(limiter.tryAcquire(MAILS, "anna")).isTrue();
      assertThat(limiter.tryAcquire(MAILS, "anna")).isFalse();
      Concurrency one = Concurrency.of(1, Duration.ofHours(1));
      Leases leases = service.part(Leases.class);
      assertThat(leases.acquire("printer", one)).isInstanceOf(Leases.Acquired.class);
      assertThat(leases.acquire("printer", one)).isInstanceOf(Leases.Full.class);
    }
  }

  @Test
  void aServicesOwnLimiterIsTheOnlyOne() {
    try (Service service = Service.bare(Map.of(), OwnLimiter.class)) {
      assertThat(service.part(Limiter.class)).isNotNull();
    }
  }

  @Test
  void withAServerElsewhereThereIsNoStoreToLimitBy() {
    Map<String, Object> remote =
        Map.of("weir.store", "remote", "weir.remote.url", "http://127.0.0.1:1");
    try (Service service = Service.bare(remote)) {
      assertThat(service.has(Limiter.class)).isFalse();
      assertThat(service.has(Leases.class)).isFalse();
    }
  }

  @Test
  void slotsAreKeptOnlyIfTheServiceSaysWhere() {
    try (Service service = Service.bare(Map.of(), Database.class)) {
      assertThat(service.has(SlotScheduler.class)).isFalse();
    }
    try (Service service = Service.bare(Map.of("weir.slots.store", "memory"))) {
      assertThat(assigned(service, "pay-1")).isEqualTo(assigned(service, "pay-1"));
    }
  }

  @Test
  void theSchedulerIsClosedWithItsStore() {
    AtomicInteger closed;
    try (Service service = Service.bare(Map.of(), OwnSlotStore.class)) {
      assigned(service, "pay-1");
      closed = service.part(AtomicInteger.class);
      assertThat(closed).hasValue(0);
    }
    assertThat(closed).hasValue(1);
  }

  @Test
  void slotsInPostgresqlOutliveTheService() throws IOException {
    Map<String, Object> properties = Map.of("weir.slots.store", "postgresql");
    try (EmbeddedPostgres server = postgresqlServer()) {
      postgresql = server.getPostgresDatabase();
      Instant first;
      try (Service service = Service.bare(properties, Database.class)) {
        first = assigned(service, "pay-1");
      }
      try (Service service = Service.bare(properties, Database.class)) {
        assertThat(assigned(service, "pay-1")).isEqualTo(first);
        assertThat(assigned(service, "pay-2")).isAfter(first);
      }
    } finally {
      postgresql = NOWHERE;
    }
  }

  /**
   * Starts PostgreSQL from the first of its archives on the class path: the manifest of the
   * server's jar names the same one once more, which the default resolver refuses.
   */
  private static EmbeddedPostgres postgresqlServer() throws IOException {
    return EmbeddedPostgres.builder()
        .setPGStartupWait(Duration.ofMinutes(5))
        .setPgBinaryResolver(
            (system, architecture) ->
                Objects.requireNonNull(
                    EmbeddedPostgres.class.getResourceAsStream(
                        "/postgres-%s-%s.txz"
                            .formatted(system.toLowerCase(Locale.ROOT), architecture))))
        .start();
  }

  @Test
  void slotsInPostgresqlNeedOneDatabase() {
    Map<String, Object> properties = Map.of("weir.slots.store", "postgresql");
    assertThatThrownBy(() -> Service.startAndStop(properties))
        .hasStackTraceContaining("There must be one DataSource");
    assertThatThrownBy(
            () -> Service.startAndStop(properties, Database.class, AnotherDatabase.class))
        .hasStackTraceContaining("There must be one DataSource");
  }

  private static Instant assigned(Service service, String event) {
    SlotScheduler slots = service.part(SlotScheduler.class);
    slots.configure("bank-api", SlotPolicy.of(1, Duration.ofSeconds(60)));
    return slots.assign(event, "bank-api").scheduledTime();
  }
}
