package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.spring.autoconfigure.Service;
import dev.weir.spring.autoconfigure.Service.Answer;
import dev.weir.spring.sample.LimitedOrders;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import reactor.core.publisher.Mono;

/** The responses to requests whose handlers call a limited method and are refused. */
final class RefusedCallsTest {
  @RestController
  static class Endpoints {
    private final LimitedOrders orders;

    Endpoints(LimitedOrders orders) {
      this.orders = orders;
    }

    @GetMapping("/plain/{customer}")
    String plain(@PathVariable String customer) {
      return orders.order(customer, 1);
    }

    @GetMapping("/later/{customer}")
    CompletableFuture<String> later(@PathVariable String customer) {
      return CompletableFuture.supplyAsync(
          () -> orders.order(customer, 1), Thread.ofVirtual()::start);
    }

    @GetMapping("/reactive/{customer}")
    Mono<String> reactive(@PathVariable String customer) {
      return orders.orderReactively(customer);
    }

    /** Limited itself. */
    @GetMapping("/direct/{customer}")
    @RateLimited(rule = "orders", key = "#customer")
    public String direct(@PathVariable String customer) {
      return "hello";
    }
  }

  @RestControllerAdvice
  static class OwnAnswer {
    @ExceptionHandler
    String answer(RateLimitedException refusal) {
      return "sorry, " + refusal.rule();
    }
  }

  /** Calls limited methods outside of handlers. */
  @Configuration(proxyBeanMethods = false)
  static class Filters {
    @Bean
    FilterRegistrationBean<Filter> ordering(ObjectProvider<LimitedOrders> orders) {
      return new FilterRegistrationBean<>(
          (request, response, chain) -> {
            String path = ((HttpServletRequest) request).getRequestURI();
            if (path.equals("/filtered/filtered")) {
              orders.getObject().order(path, 1);
            } else if (path.equals("/joined/joined")) {
              CompletableFuture.runAsync(() -> orders.getObject().order(path, 1)).join();
            } else if (path.equals("/thrown/thrown")) {
              try {
                orders.getObject().order(path, 1);
              } catch (RateLimitedException e) {
                throw new ServletException(e);
              }
            }
            chain.doFilter(request, response);
          });
    }
  }

  @RestController
  static class Joins {
    private final LimitedOrders orders;

    Joins(LimitedOrders orders) {
      this.orders = orders;
    }

    @GetMapping({"/filtered/filtered", "/joined/joined", "/thrown/thrown"})
    String done() {
      return "done";
    }

    @GetMapping("/handler/{customer}")
    String handler(@PathVariable String customer) {
      return CompletableFuture.supplyAsync(() -> orders.order(customer, 1)).join();
    }
  }

  private static Map<String, Object> properties() {
    Map<String, Object> properties = new HashMap<>(RateLimitedTest.properties());
    properties.put("weir.rules[3].name", "everything");
    properties.put("weir.rules[3].path-pattern", "/**");
    properties.put("weir.rules[3].allowed-requests", "1000");
    properties.put("weir.rules[3].window-seconds", "3600");
    return properties;
  }

  @Test
  void onSpringMvcTheyAreAnsweredAsRefusedRequests() {
    try (Service service = Service.onTomcat(properties(), LimitedOrders.class, Endpoints.class)) {
      refuses(service);
    }
  }

  @Test
  void onWebFluxTheyAreAnsweredAsRefusedRequests() {
    try (Service service = Service.onNetty(properties(), LimitedOrders.class, Endpoints.class)) {
      refuses(service);
    }
  }

  @Test
  void outsideOfHandlersTheyAreAnsweredAsRefusedRequests() {
    try (Service mvc =
            Service.onTomcat(properties(), LimitedOrders.class, Filters.class, Joins.class);
        Service webFlux = Service.onNetty(properties(), LimitedOrders.class, Joins.class)) {
      refuses(mvc, "/filtered/", "/joined/", "/thrown/", "/handler/");
      refuses(webFlux, "/handler/");
    }
  }

  private static void refuses(Service service) {
    refuses(service, "/plain/", "/later/", "/reactive/", "/direct/");
  }

  private static void refuses(Service service, String... paths) {
    for (String path : paths) {
      String target = path + path.replace("/", "");
      Answer passed = service.get(target);
      assertThat(passed.status()).as(path).isEqualTo(200);
      assertThat(passed.header("RateLimit")).startsWith("\"everything\"");
      Answer refused = service.get(target);
      assertThat(refused.status()).as(path).isEqualTo(429);
      assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
      assertThat(Integer.parseInt(refused.header("Retry-After"))).isBetween(3500, 3600);
      assertThat(refused.headers("RateLimit-Policy")).containsExactly("\"orders\";q=1;w=3600");
      assertThat(refused.header("RateLimit")).startsWith("\"orders\";r=0;t=");
      assertThat(refused.headers("X-RateLimit-Remaining")).containsExactly("0");
      assertThat(refused.body()).contains("\"violated-policies\":[\"orders\"]");
    }
  }

  @Test
  void aServiceMayAnswerThemItself() {
    Class<?>[] parts = {LimitedOrders.class, Endpoints.class, OwnAnswer.class};
    try (Service mvc = Service.onTomcat(properties(), parts);
        Service webFlux = Service.onNetty(properties(), parts)) {
      for (Service service : new Service[] {mvc, webFlux}) {
        service.get("/plain/anna");
        assertThat(service.get("/plain/anna").body()).isEqualTo("sorry, orders");
      }
    }
  }
}
