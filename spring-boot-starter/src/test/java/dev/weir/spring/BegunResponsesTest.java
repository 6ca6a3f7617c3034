package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.spring.autoconfigure.Service;
import dev.weir.spring.autoconfigure.Service.Answer;
import dev.weir.spring.sample.LimitedOrders;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.http.server.reactive.ServerHttpResponse;
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

    @GetMapping("/described")
    void described(HttpServletResponse response) throws IOException {
      describe(response::setHeader);
      orders.order("described", 1);
    }

    @GetMapping("/described-writer")
    void describedWriter(HttpServletResponse response) throws IOException {
      describe(response::setHeader);
      response.getWriter().write("a,b,c\n");
      orders.order("described-writer", 1);
    }

    @GetMapping("/sent")
    void sent(HttpServletResponse response) throws IOException {
      response.getOutputStream().write("a,b,c\n".getBytes(StandardCharsets.UTF_8));
      response.flushBuffer();
      orders.order("sent", 1);
    }
  }

  @RestController
  static class ReactiveTables {
    private final LimitedOrders orders;

    ReactiveTables(LimitedOrders orders) {
      this.orders = orders;
    }

    @GetMapping("/described")
    String described(ServerHttpResponse response) {
      describe(response.getHeaders()::set);
      return orders.order("described", 1);
    }
  }

  private static final List<String> OF_THE_CONTENT =
      List.of(
          "Content-Encoding",
          "Content-Language",
          "Content-Location",
          "Content-Range",
          "Content-Disposition",
          "Content-MD5",
          "Digest",
          "Content-Digest",
          "Repr-Digest",
          "ETag",
          "Last-Modified",
          "Cache-Control",
          "Expires",
          "Accept-Ranges",
          "Age");

  private static final List<String> OF_THE_RESPONSE =
      List.of("Content-Security-Policy", "Set-Cookie", "Vary");

  private static void describe(BiConsumer<String, String> fields) {
    OF_THE_CONTENT.forEach(name -> fields.accept(name, "of-the-content"));
    OF_THE_RESPONSE.forEach(name -> fields.accept(name, "kept"));
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

  @Test
  void fieldsOfTheContentGoWithIt() {
    try (Service mvc =
            Service.onTomcat(RateLimitedTest.properties(), LimitedOrders.class, Tables.class);
        Service webFlux =
            Service.onNetty(
                RateLimitedTest.properties(), LimitedOrders.class, ReactiveTables.class)) {
      describes(mvc, "/described");
      describes(mvc, "/described-writer");
      describes(webFlux, "/described");
    }
  }

  private static void describes(Service service, String path) {
    assertThat(service.get(path).header("ETag")).as(path).isEqualTo("of-the-content");
    Answer refused = service.get(path);
    refuses(refused);
    for (String name : OF_THE_CONTENT) {
      assertThat(refused.headers(name)).as(path + " " + name).isEmpty();
    }
    for (String name : OF_THE_RESPONSE) {
      assertThat(refused.headers(name)).as(path + " " + name).containsExactly("kept");
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
      assertThatThrownBy(() -> service.get("/orders/1?sent=yes"))
          .isInstanceOf(CompletionException.class)
          .hasRootCauseInstanceOf(IOException.class);
    }
  }

  private static void refuses(Answer refused) {
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
    assertThat(refused.header("Retry-After")).isNotEmpty();
    assertThat(refused.body()).startsWith("{\"type\":").endsWith("]}");
  }
}
