package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.spring.autoconfigure.Service;
import dev.weir.spring.autoconfigure.Service.Answer;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletResponse;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.util.ContentCachingResponseWrapper;

/** Requests that wait in a queue on Spring MVC. */
final class ServletQueueTest {
  private static final ThreadLocal<String> TENANT = new ThreadLocal<>();

  /** Filters as services have them, one in front of Weir's and one behind it. */
  @Configuration(proxyBeanMethods = false)
  @RestController
  static class Tenants {
    @Bean
    FilterRegistrationBean<Filter> tenant() {
      return registered(
          Ordered.HIGHEST_PRECEDENCE,
          (request, response, chain) -> {
            TENANT.set("acme");
            try {
              chain.doFilter(request, response);
            } finally {
              TENANT.remove();
            }
          });
    }

    @Bean
    FilterRegistrationBean<Filter> buffer() {
      return registered(
          0,
          (request, response, chain) -> {
            ContentCachingResponseWrapper buffer =
                new ContentCachingResponseWrapper((HttpServletResponse) response);
            chain.doFilter(request, buffer);
            buffer.copyBodyToResponse();
          });
    }

    private static FilterRegistrationBean<Filter> registered(int order, Filter filter) {
      FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(filter);
      registration.setOrder(order);
      return registration;
    }

    @GetMapping("/tenants/{id}")
    String tenant(String id) {
      return "tenant " + TENANT.get();
    }
  }

  @Test
  void aRequestThatWaitedIsServedAsOneThatPassed() {
    try (Service service = Service.onTomcat(queue(1, 100), Tenants.class)) {
      Answer passed = service.get("/tenants/1");
      long startNanos = System.nanoTime();
      Answer queued = service.get("/tenants/1");
      assertThat(System.nanoTime() - startNanos).isGreaterThanOrEqualTo(100_000_000L);
      assertThat(passed.header("X-RateLimit-Queued")).isEmpty();
      assertThat(queued.header("X-RateLimit-Queued")).isEqualTo("true");
      assertThat(queued.status()).isEqualTo(200);
      assertThat(queued.body()).isEqualTo(passed.body()).isEqualTo("tenant acme");
    }
  }

  /** The only thread of the container serves another request while the first one waits. */
  @Test
  void waitingHoldsNoThreadIfRequested() {
    Map<String, Object> properties =
        queue(GateClaims.MANY_PLACES, GateClaims.LONGEST_WAIT.toMillis());
    properties.put("weir.servlet.async-queue", "true");
    properties.put("server.tomcat.threads.max", "1");
    properties.put("server.tomcat.threads.min-spare", "1");
    try (Service service = Service.onTomcat(properties, GateClaims.StandingClock.class)) {
      GateClaims.takePlacesBefore(service, "tenants", "127.0.0.1");
      assertThat(service.get("/tenants/1").status()).isEqualTo(404);
      CompletableFuture<Answer> queued = service.getLater("/tenants/1");
      Service.eventually(() -> service.meters().get("weir.waiting").gauge().value() == 1);
      assertThat(service.get("/letters").status()).isEqualTo(200);
      assertThat(queued).isNotDone();
    }
  }

  private static Map<String, Object> queue(int places, long delayMillis) {
    Map<String, Object> properties = new HashMap<>();
    properties.put("weir.rules[0].name", "tenants");
    properties.put("weir.rules[0].path-pattern", "/tenants/**");
    properties.put("weir.rules[0].allowed-requests", "1");
    properties.put("weir.rules[0].window-seconds", "3600");
    properties.put("weir.rules[0].queue-enabled", "true");
    properties.put("weir.rules[0].max-queue-size", Integer.toString(places));
    properties.put("weir.rules[0].delay-per-request-ms", Long.toString(delayMillis));
    return properties;
  }
}
