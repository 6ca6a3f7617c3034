package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.limits.memory.MemoryLimitStore;
import dev.weir.spring.autoconfigure.Service;
import dev.weir.spring.autoconfigure.Service.Answer;
import dev.weir.spring.sample.LimitedOrders;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** A request that cannot be decided is 503 with a problem, whatever the reason. */
final class FullStoreTest {
  private static final int KEYS = 3;

  @Configuration(proxyBeanMethods = false)
  static class SmallStore {
    @Bean
    MemoryLimitStore store() {
      return new MemoryLimitStore(KEYS);
    }
  }

  @RestController
  static class Orders {
    private final LimitedOrders orders;

    Orders(LimitedOrders orders) {
      this.orders = orders;
    }

    @GetMapping("/limited/{customer}")
    String order(@PathVariable String customer) {
      return orders.order(customer, 1);
    }
  }

  private static Map<String, Object> properties() {
    Map<String, Object> properties = new HashMap<>();
    properties.put("weir.rules[0].name", "quotes");
    properties.put("weir.rules[0].path-pattern", "/quotes/**");
    properties.put("weir.rules[0].key-by", "header:X-Api-Key");
    properties.put("weir.rules[0].allowed-requests", "1");
    properties.put("weir.rules[0].window-seconds", "3600");
    return properties;
  }

  @Test
  void requestsOfNewKeysAreUnavailable() {
    try (Service mvc = Service.onTomcat(properties(), SmallStore.class);
        Service webFlux = Service.onNetty(properties(), SmallStore.class)) {
      for (Service service : new Service[] {mvc, webFlux}) {
        for (int i = 0; i < KEYS; i++) {
          assertThat(service.get("/quotes/1", "X-Api-Key", "k" + i).status()).isEqualTo(200);
        }
        Answer refused = service.get("/quotes/1", "X-Api-Key", "another");
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(refused.body()).contains("urn:weir:problem:store-unavailable");
        assertThat(service.get("/quotes/1", "X-Api-Key", "k0").status())
            .as("a key that has room is decided")
            .isEqualTo(429);
      }
    }
  }

  @Test
  void callsOfNewKeysAreUnavailable() {
    Class<?>[] parts = {SmallStore.class, LimitedOrders.class, Orders.class};
    try (Service mvc = Service.onTomcat(RateLimitedTest.properties(), parts);
        Service webFlux = Service.onNetty(RateLimitedTest.properties(), parts)) {
      for (Service service : new Service[] {mvc, webFlux}) {
        for (int i = 0; i < KEYS; i++) {
          assertThat(service.get("/limited/k" + i).status()).isEqualTo(200);
        }
        Answer refused = service.get("/limited/another");
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.header("Retry-After")).isEqualTo("1");
        assertThat(refused.body()).contains("urn:weir:problem:store-unavailable");
        LimitedOrders orders = service.part(LimitedOrders.class);
        int calls = orders.calls();
        assertThatThrownBy(() -> orders.order("another", 1))
            .isInstanceOf(RateLimitedException.class)
            .hasCauseInstanceOf(StoreException.class);
        assertThat(orders.calls()).isEqualTo(calls);
      }
    }
  }

  /** Each alone could be decided; together they are more than a store takes in one step. */
  @Test
  void requestsThatTooManyRulesCoverAreUnavailable() {
    Map<String, Object> properties = new HashMap<>();
    for (int i = 0; i < 129; i++) {
      properties.put("weir.rules[" + i + "].name", "r" + i);
      properties.put("weir.rules[" + i + "].path-pattern", i == 0 ? "/quotes/1" : "/quotes/**");
      properties.put("weir.rules[" + i + "].allowed-requests", "1");
      properties.put("weir.rules[" + i + "].window-seconds", "3600");
    }
    try (Service mvc = Service.onTomcat(properties);
        Service webFlux = Service.onNetty(properties)) {
      for (Service service : new Service[] {mvc, webFlux}) {
        Answer refused = service.get("/quotes/1");
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(refused.body())
            .contains("urn:weir:problem:too-many-rules", "129 rules cover the request");
        assertThat(service.get("/quotes/2").status()).as("nothing was counted").isEqualTo(200);
      }
    }
  }
}
