package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.spring.autoconfigure.Service;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;

/** Requests that fail after asynchronous processing has begun give back their places. */
final class AbandonedRequestsTest {
  @Configuration(proxyBeanMethods = false)
  @RestController
  static class Failing {
    /** Throws after the handler has returned, in the dispatches that the request names. */
    @Bean
    FilterRegistrationBean<Filter> throwing() {
      FilterRegistrationBean<Filter> filter =
          new FilterRegistrationBean<>(
              (request, response, chain) -> {
                chain.doFilter(request, response);
                if (request.getDispatcherType().name().equals(request.getParameter("unchecked"))) {
                  throw new IllegalStateException("a defect of the service");
                }
                if (request.getDispatcherType().name().equals(request.getParameter("io"))) {
                  throw new IOException("a failure of the service");
                }
              });
      filter.setOrder(0);
      filter.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC));
      return filter;
    }

    @GetMapping("/work/started")
    void started(HttpServletRequest request) {
      request.startAsync();
      throw new IllegalStateException("a defect of the service");
    }

    @GetMapping("/work/again")
    void again(HttpServletRequest request) {
      AsyncContext context = request.startAsync();
      if (request.getDispatcherType() == DispatcherType.ASYNC) {
        throw new IllegalStateException("a defect of the service");
      }
      context.dispatch();
    }

    @GetMapping("/work/deferred")
    DeferredResult<String> deferred() {
      return new DeferredResult<>(600_000L);
    }

    @GetMapping("/work/called")
    Callable<String> called() {
      return () -> "done";
    }

    @GetMapping("/work/plain")
    String plain() {
      return "done";
    }
  }

  private static Map<String, Object> rule() {
    Map<String, Object> properties = new HashMap<>();
    properties.put("weir.rules[0].name", "work");
    properties.put("weir.rules[0].path-pattern", "/work/**");
    return properties;
  }

  @Test
  void failedRequestGivesBackItsPlace() {
    Map<String, Object> properties = rule();
    properties.put("weir.rules[0].algorithm", "CONCURRENCY");
    properties.put("weir.rules[0].max-concurrent", "1");
    properties.put("weir.rules[0].key-by", "header:X-Api-Key");
    try (Service service = Service.onTomcat(properties, Failing.class)) {
      for (String path :
          List.of(
              "/work/started",
              "/work/again",
              "/work/deferred?unchecked=REQUEST",
              "/work/deferred?io=REQUEST",
              "/work/called?unchecked=REQUEST",
              "/work/called?unchecked=ASYNC",
              "/work/called?io=ASYNC")) {
        fail(service, path);
        // The client may see the end of a request before the gate does.
        Service.eventually(() -> service.get("/work/plain", "X-Api-Key", path).status() == 200);
      }
    }
  }

  /** The place of the queue and what else the request took. */
  @Test
  void failedRequestLeavesItsQueue() {
    Map<String, Object> properties = rule();
    properties.put("weir.rules[0].allowed-requests", "1");
    properties.put("weir.rules[0].window-seconds", "3600");
    properties.put("weir.rules[0].queue-enabled", "true");
    properties.put("weir.rules[0].max-queue-size", "" + GateClaims.MANY_PLACES);
    properties.put("weir.rules[0].delay-per-request-ms", "" + GateClaims.LONGEST_WAIT.toMillis());
    properties.put("weir.servlet.async-queue", "true");
    try (Service service =
        Service.onTomcat(properties, Failing.class, GateClaims.StandingClock.class)) {
      GateClaims.takePlacesBefore(service, "work", "127.0.0.1");
      assertThat(service.get("/work/plain").status()).isEqualTo(200);
      fail(service, "/work/plain?unchecked=REQUEST");
      Service.eventually(() -> service.meters().get("weir.waiting").gauge().value() == 0);
      var queued = service.getLater("/work/plain");
      Service.eventually(() -> service.meters().get("weir.waiting").gauge().value() == 1);
      assertThat(queued).isNotDone();
    }
  }

  /** The container may abort the response or send an error. */
  private static void fail(Service service, String path) {
    try {
      service.get(path, "X-Api-Key", path);
    } catch (CompletionException e) {
      assertThat(e).hasRootCauseInstanceOf(IOException.class);
    }
  }
}
