package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.spring.Service.Answer;
import dev.weir.spring.sample.LimitedOrders;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Refusals of requests whose response was begun before. */
final class BegunResponsesTest {
  @RestController
  static class Tables {
    private final LimitedOrders orders;

    Tables(LimitedOrders orders) {
      this.orders = orders;
    }

    @GetMapping("/stream")
    void stream(HttpServletResponse response) throws IOException {
      response.setContentType("text/csv");
      response.setContentLength(11);
      response.getOutputStream().write("a,b,c\n".getBytes(StandardCharsets.UTF_8));
      orders.order("stream", 1);
      response.getOutputStream().write("1,2,3".getBytes(StandardCharsets.UTF_8));
    }

    @GetMapping("/writer")
    void writer(HttpServletResponse response) throws IOException {
      response.setContentType("text/csv;charset=UTF-16");
      response.getWriter().write("a,b,c\n");
      orders.order("writer", 1);
    }

    @GetMapping("/sent")
    void sent(HttpServletResponse response) throws IOException {
      response.getOutputStream().write("a,b,c\n".getBytes(StandardCharsets.UTF_8));
      response.flushBuffer();
      orders.order("sent", 1);
    }
  }

  /** In front of Weir. */
  @Configuration(proxyBeanMethods = false)
  static class EagerFilter {
    @Bean
    FilterRegistrationBean<Filter> eager() {
      FilterRegistrationBean<Filter> filter =
          new FilterRegistrationBean<>(
              (request, response, chain) -> {
                if (request.getParameter("stream") != null) {
                  response.getOutputStream().write('a');
                } else {
                  response.getWriter().write("a greeting");
                }
                if (request.getParameter("sent") != null) {
                  response.flushBuffer();
                }
                chain.doFilter(request, response);
              });
      filter.setOrder(Ordered.HIGHEST_PRECEDENCE);
      return filter;
    }
  }

  @Test
  void whatWasNotSentIsReplaced() {
    try (Service service =
        Service.onTomcat(RateLimitedTest.properties(), LimitedOrders.class, Tables.class)) {
      for (String path : new String[] {"/stream", "/writer"}) {
        Answer passed = service.get(path);
        assertThat(passed.status()).as(path).isEqualTo(200);
        assertThat(passed.header("Content-Type")).startsWith("text/csv");
        Answer refused = service.get(path);
        refuses(refused);
        assertThat(refused.headers("X-Signed")).as("of a filter").containsExactly("yes");
      }
    }
  }

  /** A client must not take half of a response for all of it. */
  @Test
  void whatWasSentIsAborted() {
    try (Service service =
        Service.onTomcat(RateLimitedTest.properties(), LimitedOrders.class, Tables.class)) {
      assertThat(service.get("/sent").body()).isEqualTo("a,b,c\n");
      assertThatThrownBy(() -> service.get("/sent"))
          .isInstanceOf(CompletionException.class)
          .hasRootCauseInstanceOf(IOException.class);
    }
  }

  @Test
  void filtersInFrontMayHaveBegun() {
    Map<String, Object> properties = new HashMap<>();
    properties.put("weir.rules[0].name", "orders");
    properties.put("weir.rules[0].path-pattern", "/orders/**");
    properties.put("weir.rules[0].allowed-requests", "1");
    properties.put("weir.rules[0].window-seconds", "3600");
    try (Service service = Service.onTomcat(properties, EagerFilter.class)) {
      service.get("/orders/1");
      refuses(service.get("/orders/1"));
      refuses(service.get("/orders/1?stream=yes"));
      Answer begun = service.get("/orders/1?sent=yes");
      assertThat(begun.body()).as("the handler was not called").isEqualTo("a greeting");
    }
  }

  private static void refuses(Answer refused) {
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
    assertThat(refused.header("Retry-After")).isNotEmpty();
    assertThat(refused.body()).startsWith("{\"type\":").endsWith("]}");
  }
}
