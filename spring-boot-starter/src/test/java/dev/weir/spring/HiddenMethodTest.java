package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.spring.autoconfigure.Service;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.HiddenHttpMethodFilter;

/** Services that take the method of a request from a form field. */
final class HiddenMethodTest {
  private static final Map<String, Object> PROPERTIES =
      Map.of(
          "spring.mvc.hiddenmethod.filter.enabled", "true",
          "spring.webflux.hiddenmethod.filter.enabled", "true",
          "weir.rules[0].name", "removals",
          "weir.rules[0].path-pattern", "/accounts",
          "weir.rules[0].methods", "DELETE",
          "weir.rules[0].allowed-requests", "1",
          "weir.rules[0].window-seconds", "3600");

  @RestController
  static class Accounts {
    @DeleteMapping("/accounts")
    String delete() {
      return "deleted";
    }
  }

  @Test
  void onSpringMvcARuleOfAMethodIsNotEvaded() {
    isNotEvaded(Service::onTomcat);
  }

  @Test
  void onWebFluxARuleOfAMethodIsNotEvaded() {
    isNotEvaded(Service::onNetty);
  }

  /** A filter that the service declares itself. */
  @Configuration(proxyBeanMethods = false)
  static class OwnFilter {
    @Bean
    HiddenHttpMethodFilter ownFilter() {
      return new HiddenHttpMethodFilter();
    }
  }

  /** A filter that the service registers itself. */
  @Configuration(proxyBeanMethods = false)
  static class RegisteredFilter {
    @Bean
    FilterRegistrationBean<HiddenHttpMethodFilter> ownFilter() {
      FilterRegistrationBean<HiddenHttpMethodFilter> filter =
          new FilterRegistrationBean<>(new HiddenHttpMethodFilter());
      filter.setOrder(7);
      return filter;
    }
  }

  /** A filter of WebFlux that the service declares itself. */
  @Configuration(proxyBeanMethods = false)
  static class OwnReactiveFilter {
    @Bean
    org.springframework.web.filter.reactive.HiddenHttpMethodFilter ownFilter() {
      return new org.springframework.web.filter.reactive.HiddenHttpMethodFilter();
    }
  }

  @Test
  void aFilterWithoutAnOrderOpensNoWayAround() {
    Map<String, Object> properties = new HashMap<>(PROPERTIES);
    properties.keySet().removeIf(name -> name.contains("hiddenmethod"));
    isNotEvaded((own, parts) -> Service.onTomcat(properties, Accounts.class, OwnFilter.class));
    isNotEvaded(
        (own, parts) -> Service.onTomcat(properties, Accounts.class, RegisteredFilter.class));
    isNotEvaded(
        (own, parts) -> Service.onNetty(properties, Accounts.class, OwnReactiveFilter.class));
  }

  private static void isNotEvaded(BiFunction<Map<String, Object>, Class<?>[], Service> start) {
    try (Service service = start.apply(PROPERTIES, new Class<?>[] {Accounts.class})) {
      assertThat(service.post("/accounts", "_method=DELETE").body()).isEqualTo("deleted");
      assertThat(service.post("/accounts", "_method=DELETE").status()).isEqualTo(429);
      assertThat(service.admit("DELETE", "/accounts").status()).isEqualTo(429);
      assertThat(service.post("/accounts", "_method=").status()).isEqualTo(405);
    }
  }
}
