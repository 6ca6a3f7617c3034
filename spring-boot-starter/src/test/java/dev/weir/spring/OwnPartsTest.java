package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.TrustedProxies;
import dev.weir.rules.MemoryRules;
import dev.weir.rules.Rules;
import dev.weir.spring.autoconfigure.Service;
import java.net.http.HttpResponse;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Services with their own parts and threads. */
final class OwnPartsTest {
  private static final String FROM = "X-Forwarded-For";

  @Configuration(proxyBeanMethods = false)
  static class OwnStore {
    @Bean
    CustomStore counts() {
      return new CustomStore();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnProxies {
    @Bean
    TrustedProxies proxies() {
      return TrustedProxies.of(List.of("127.0.0.1"));
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class NoRules {
    @Bean
    Rules rules() {
      return new MemoryRules(InstantSource.system());
    }
  }

  @Test
  void aServicesOwnPartsTakeThePlaceOfWeirs() {
    try (Service service =
        Service.onTomcat(oneForEachAddress(), OwnStore.class, OwnProxies.class)) {
      assertThat(service.get("/threads/1", FROM, "192.0.2.1").status()).isEqualTo(200);
      assertThat(service.get("/threads/1", FROM, "192.0.2.2").status()).isEqualTo(200);
      assertThat(service.get("/threads/1", FROM, "192.0.2.2").status()).isEqualTo(429);
      assertThat(service.part(CustomStore.class).calls()).isEqualTo(3);
    }
  }

  @Test
  void aServicesOwnRulesAreTheOnlyOnes() {
    try (Service service = Service.onTomcat(oneForEachAddress(), NoRules.class)) {
      for (int i = 0; i < 3; i++) {
        assertThat(service.get("/threads/1").status()).isEqualTo(200);
      }
    }
  }

  @Test
  void onVirtualThreadsRequestsPassAndWait() {
    Map<String, Object> properties = queue();
    properties.put("spring.threads.virtual.enabled", "true");
    try (Service service = Service.onTomcat(properties)) {
      passesAndWaits(service, "VirtualThread");
    }
  }

  /** Also if a store was called on another thread. Reactor Netty relies on it, see NettyOrigin. */
  @Test
  void onNettyRequestsAreServedOnTheThreadTheyCameOn() {
    try (Service service = Service.onNetty(queue(), OwnStore.class)) {
      passesAndWaits(service, "reactor-http");
    }
  }

  @Test
  void aConnectionThatIsKeptIsAnsweredEachTime() {
    try (Service service = Service.onNetty(oneForEachAddress(), OwnStore.class)) {
      assertThat(service.get("/threads/1").status()).isEqualTo(200);
      for (int i = 0; i < 500; i++) {
        assertThat(service.get("/threads/1").status()).isEqualTo(429);
      }
    }
  }

  /** A servlet container does not report that a client has left. */
  @Test
  void onTomcatAClientThatLeavesKeepsItsPlaceUntilItsWaitIsOver() {
    Map<String, Object> properties = queue();
    properties.put("weir.rules[0].delay-per-request-ms", "1000");
    try (Service service = Service.onTomcat(properties)) {
      assertThat(service.get("/threads/1").status()).isEqualTo(200);
      startWaiting(service).cancel(true);
      Service.eventually(() -> waiting(service) == 0);
      assertThat(service.get("/threads/1").header("X-RateLimit-Queued")).isEqualTo("true");
    }
  }

  /** On a busy machine, a wait may be over before it is seen; then the next request waits. */
  private static CompletableFuture<HttpResponse<String>> startWaiting(Service service) {
    while (true) {
      CompletableFuture<HttpResponse<String>> request = service.send("/threads/1");
      Service.eventually(() -> waiting(service) == 1 || request.isDone());
      if (!request.isDone()) {
        return request;
      }
    }
  }

  private static double waiting(Service service) {
    return service.meters().get("weir.waiting").gauge().value();
  }

  private static void passesAndWaits(Service service, String thread) {
    Service.Answer passed = service.get("/threads/1");
    assertThat(passed.status()).isEqualTo(200);
    assertThat(passed.body()).contains(thread);
    Service.Answer waited = service.get("/threads/1");
    assertThat(waited.header("X-RateLimit-Queued")).isEqualTo("true");
    assertThat(waited.body()).contains(thread);
  }

  private static Map<String, Object> queue() {
    Map<String, Object> properties = oneForEachAddress();
    properties.put("weir.rules[0].queue-enabled", "true");
    properties.put("weir.rules[0].max-queue-size", "1");
    properties.put("weir.rules[0].delay-per-request-ms", "100");
    return properties;
  }

  private static Map<String, Object> oneForEachAddress() {
    Map<String, Object> properties = new HashMap<>();
    properties.put("weir.rules[0].name", "threads");
    properties.put("weir.rules[0].path-pattern", "/threads/**");
    properties.put("weir.rules[0].key-by", "ip");
    properties.put("weir.rules[0].allowed-requests", "1");
    properties.put("weir.rules[0].window-seconds", "3600");
    return properties;
  }
}
