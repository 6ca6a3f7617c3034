package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.RestController;

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

  private static void isNotEvaded(BiFunction<Map<String, Object>, Class<?>[], Service> start) {
    try (Service service = start.apply(PROPERTIES, new Class<?>[] {Accounts.class})) {
      assertThat(service.post("/accounts", "_method=DELETE").body()).isEqualTo("deleted");
      assertThat(service.post("/accounts", "_method=DELETE").status()).isEqualTo(429);
      assertThat(service.admit("DELETE", "/accounts").status()).isEqualTo(429);
      assertThat(service.post("/accounts", "_method=").status()).isEqualTo(405);
    }
  }
}
