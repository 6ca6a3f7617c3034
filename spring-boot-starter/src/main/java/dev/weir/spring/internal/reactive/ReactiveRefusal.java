package dev.weir.spring.internal.reactive;

import dev.weir.spring.RateLimitedException;
import dev.weir.spring.internal.gate.Problem;
import dev.weir.spring.internal.gate.RefusedCallException;
import java.util.Set;
import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;

/** Responds to requests whose {@link RateLimitedException} the service does not handle itself. */
public final class ReactiveRefusal implements WebExceptionHandler, Ordered {
  /** Before the handler of Spring Boot, which handles everything. */
  private static final int BEFORE_SPRING_BOOT = -2;

  @Override
  public int getOrder() {
    return BEFORE_SPRING_BOOT;
  }

  @Override
  public Mono<Void> handle(ServerWebExchange exchange, Throwable failure) {
    RefusedCallException refusal = RefusedCallException.in(failure);
    if (refusal == null || exchange.getResponse().isCommitted()) {
      return Mono.error(failure);
    }
    HttpHeaders headers = exchange.getResponse().getHeaders();
    for (String name : Set.copyOf(headers.headerNames())) {
      if (Problem.isFieldOfContent(name)) {
        headers.remove(name);
      }
    }
    // Replaces the fields of the rules that let the request pass.
    refusal.admission().fields().forEach(field -> headers.set(field.name(), field.value()));
    return ReactiveGateFilter.write(exchange.getResponse(), refusal.admission().problem());
  }
}
