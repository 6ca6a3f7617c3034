package dev.weir.server.limits.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.node.capability.Capabilities;
import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.stores.CountingStore;
import dev.weir.store.surrealdb.SurrealDbSettings;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Settings of limits that are right each by itself and wrong together. */
final class LimitSettingsTest {
  private static LimitSettings of(Map<String, String> environment) {
    return LimitSettings.of(Capabilities.read(Map.of(), environment, Optional.empty()));
  }

  private static void refuses(Map<String, String> environment, String setting, String why) {
    assertThatThrownBy(() -> of(environment))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining(setting)
        .hasMessageContaining(why);
  }

  @Test
  void redisNeedsAnAddress() {
    refuses(Map.of("WEIR_LIMITS_STORE", "redis"), "weir.redis.uri", "is needed");
  }

  @ParameterizedTest
  @CsvSource({"localhost", "http://localhost:6379", "redis://:s3cret@", "redis-sentinel://host"})
  void anAddressThatIsNoneIsRefusedWithoutRepeatingIt(String uri) {
    Map<String, String> environment = Map.of("WEIR_LIMITS_STORE", "redis", "WEIR_REDIS_URI", uri);
    assertThatThrownBy(() -> of(environment))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("weir.redis.uri")
        .satisfies(
            failure -> {
              for (Throwable t = failure; t != null; t = t.getCause()) {
                assertThat(t.toString()).doesNotContain("s3cret");
              }
            });
  }

  @Test
  void redisIsWaitedForAsLongAsIsSaid() {
    Map<String, String> environment = new HashMap<>();
    environment.put("WEIR_LIMITS_STORE", "redis");
    environment.put("WEIR_REDIS_URI", "redis://localhost:6379");
    assertThat(of(environment).redis().orElseThrow().commandTimeout()).hasSeconds(1);
    environment.put("WEIR_REDIS_TIMEOUT", "PT1M");
    assertThat(of(environment).redis().orElseThrow().commandTimeout()).hasMinutes(1);
    environment.put("WEIR_REDIS_TIMEOUT", "PT0S");
    refuses(environment, "weir.redis.timeout", "must be from PT0.1S to PT1M");
  }

  @Test
  void certificatesToTrustAreReadAtTheStart() {
    Map<String, String> environment = new HashMap<>();
    environment.put("WEIR_LIMITS_STORE", "redis");
    environment.put("WEIR_REDIS_URI", "rediss://localhost:6379");
    assertThat(of(environment).redis().orElseThrow().trust()).isEmpty();
    environment.put("WEIR_REDIS_TRUST", "/none.pem");
    refuses(environment, "weir.redis.trust", "must be a PEM file of certificates");
  }

  @Test
  void postgresqlCannotCountWhereSlotsAreInMemory() {
    Map<String, String> environment = new HashMap<>();
    environment.put("WEIR_SLOTS_STORE", "memory");
    environment.put("WEIR_LIMITS_STORE", "postgresql");
    refuses(environment, "weir.limits.store", "cannot be postgresql");

    environment.put("WEIR_LIMITS_STORE", "redis");
    environment.put("WEIR_REDIS_URI", "redis://localhost:6379");
    environment.put("WEIR_LIMITS_FALLBACK", "postgresql");
    refuses(environment, "weir.limits.fallback", "cannot be postgresql");

    environment.put("WEIR_LIMITS_FALLBACK", "none");
    assertThat(of(environment).needsDatabase()).isFalse();
    assertThat(of(environment).countingStore().isAwaited()).isTrue();
  }

  @Test
  void databaseThatCountsIsTheOneOfTheNode() {
    Map<String, String> environment = new HashMap<>();
    environment.put("WEIR_LIMITS_STORE", "oracle");
    refuses(
        environment, "weir.limits.store", "can be oracle only where weir.db.url is jdbc:oracle");

    environment.put("WEIR_DB_URL", "jdbc:oracle:thin:@//localhost:1521/FREEPDB1");
    assertThat(of(environment).store()).isEqualTo(LimitSettings.Store.ORACLE);
    assertThat(of(environment).needsDatabase()).isTrue();
    assertThat(of(environment).countingStore()).isEqualTo(new CountingStore("oracle", true, false));
    environment.put("WEIR_SLOTS_STORE", "memory");
    refuses(environment, "weir.limits.store", "cannot be oracle where weir.slots.store is memory");
    environment.remove("WEIR_SLOTS_STORE");

    environment.put("WEIR_LIMITS_STORE", "postgresql");
    refuses(
        environment, "weir.limits.store", "cannot be postgresql where weir.db.url is of Oracle");
    environment.remove("WEIR_LIMITS_STORE");
    assertThat(of(environment).store()).isEqualTo(LimitSettings.Store.MEMORY);
  }

  /**
   * Whatever the store: a fallback that is asked for and cannot be would be missed in an outage.
   */
  @ParameterizedTest
  @ValueSource(strings = {"memory", "redis", "surrealdb"})
  void fallbackIsTheDatabaseOfTheNode(String store) {
    Map<String, String> environment = new HashMap<>();
    environment.put("WEIR_REDIS_URI", "redis://localhost:6379");
    environment.put("WEIR_SURREALDB_URL", "http://localhost:8000");
    environment.put("WEIR_LIMITS_STORE", store);
    environment.put("WEIR_LIMITS_FALLBACK", "oracle");
    refuses(environment, "weir.limits.fallback", "can be oracle only");

    environment.put("WEIR_DB_URL", "jdbc:oracle:thin:@//localhost:1521/FREEPDB1");
    assertThat(of(environment).isFallbackUsed()).isTrue();
    environment.put("WEIR_LIMITS_FALLBACK", "postgresql");
    refuses(environment, "weir.limits.fallback", "cannot be postgresql");
    environment.put("WEIR_LIMITS_FALLBACK", "none");
    assertThat(of(environment).isFallbackUsed()).isFalse();
    environment.remove("WEIR_LIMITS_FALLBACK");
    assertThat(of(environment).isFallbackUsed()).isTrue();
    assertThat(of(environment).needsDatabase()).isEqualTo(store.equals("redis"));
  }

  @Test
  void fallbackIsNoneWhereThereIsNoDatabase() {
    Map<String, String> environment = new HashMap<>();
    environment.put("WEIR_SLOTS_STORE", "memory");
    environment.put("WEIR_LIMITS_STORE", "redis");
    environment.put("WEIR_REDIS_URI", "redis://localhost:6379");

    refuses(environment, "weir.limits.fallback", "has to be none where weir.slots.store is memory");
  }

  @Test
  void storeOfSlotsAndAddressMustAgree() {
    Map<String, String> environment = new HashMap<>();
    environment.put("WEIR_SLOTS_STORE", "oracle");
    refuses(environment, "weir.slots.store", "only where weir.db.url is jdbc:oracle:");
    environment.put("WEIR_DB_URL", "jdbc:oracle:thin:@//localhost:1521/FREEPDB1");
    assertThat(of(environment).store()).isEqualTo(LimitSettings.Store.MEMORY);
    environment.put("WEIR_SLOTS_STORE", "postgresql");
    refuses(environment, "weir.slots.store", "cannot be postgresql");
  }

  @Test
  void surrealdbNeedsAnAddress() {
    refuses(Map.of("WEIR_LIMITS_STORE", "surrealdb"), "weir.surrealdb.url", "is needed");
  }

  @Test
  void surrealdbIsOpenedAsItsUser() {
    Map<String, String> environment = new HashMap<>();
    environment.put("WEIR_LIMITS_STORE", "surrealdb");
    environment.put("WEIR_SURREALDB_URL", "https://surreal.example:8000");
    SurrealDbSettings plain = of(environment).surrealdb().orElseThrow();
    assertThat(plain.user()).isEmpty();
    assertThat(plain.acceptsAnomalies()).isFalse();
    assertThat(of(environment).needsDatabase()).isFalse();
    assertThat(of(environment).countingStore().isAwaited()).isTrue();

    environment.put("WEIR_SURREALDB_USER", "weir");
    environment.put("WEIR_SURREALDB_PASSWORD", "s3cret");
    environment.put("WEIR_SURREALDB_USER_LEVEL", "namespace");
    assertThat(of(environment).surrealdb().orElseThrow().user())
        .contains(new SurrealDbSettings.User("weir", "s3cret", SurrealDbSettings.Level.NAMESPACE));
    assertThat(of(environment).toString()).doesNotContain("s3cret");
    environment.put("WEIR_SURREALDB_NAMESPACE", "a b");
    refuses(environment, "weir.surrealdb", "namespace must be");
  }

  @Test
  void memoryNeedsNobody() {
    LimitSettings settings =
        of(Map.of("WEIR_SLOTS_STORE", "memory", "WEIR_LIMITS_STORE", "memory"));
    assertThat(settings.needsDatabase()).isFalse();
    assertThat(settings.countingStore().isAwaited()).isFalse();
  }
}
