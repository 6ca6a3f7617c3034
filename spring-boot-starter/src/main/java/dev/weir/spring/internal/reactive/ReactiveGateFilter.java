package dev.weir.spring.internal.reactive;

import dev.weir.TrustedProxies;
import dev.weir.rules.matching.AmbiguousPathException;
import dev.weir.rules.matching.Request;
import dev.weir.spring.internal.gate.Admission;
import dev.weir.spring.internal.gate.Gate;
import dev.weir.spring.internal.gate.Problem;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.springframework.core.Ordered;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Admits requests, delays them, or refuses them, before any other work is done for them. If a
 * client disconnects, whether waiting or being served, the ticket of its request is released.
 */
public final class ReactiveGateFilter implements WebFilter, Ordered {
  private final Gate gate;
  private final TrustedProxies proxies;
  private final List<ReactiveOrigin> origins;
  private final int order;

  /**
   * Creates a filter.
   *
   * @param origins the web servers whose requests can be read as they were received
   */
  public ReactiveGateFilter(
      Gate gate, TrustedProxies proxies, List<ReactiveOrigin> origins, int order) {
    this.gate = gate;
    this.proxies = proxies;
    this.origins = List.copyOf(origins);
    this.order = order;
  }

  @Override
  public int getOrder() {
    return order;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
    Request read;
    try {
      // The method may be another one than the client sent; rules limit what the service does.
      read =
          origin(exchange)
              .source(exchange.getRequest())
              .read(exchange.getRequest().getMethod().name(), proxies);
    } catch (AmbiguousPathException e) {
      return write(exchange.getResponse(), Problem.invalidPath(e));
    }
    return Mono.defer(
        () -> {
          CompletableFuture<Admission> decision = gate.admit(read);
          // A result that arrives after the client has disconnected must still be released.
          return onEventLoop(decision, exchange)
              .flatMap(admission -> admitted(admission, exchange, chain))
              .doFinally(end -> gate.leave(decision));
        });
  }

  /** Returns the result on the thread of the exchange. */
  private Mono<Admission> onEventLoop(
      CompletableFuture<Admission> decision, ServerWebExchange exchange) {
    return decision.isDone()
        ? Mono.fromFuture(decision, true)
        : Mono.fromFuture(decision, true).publishOn(thread(exchange));
  }

  private Scheduler thread(ServerWebExchange exchange) {
    return origin(exchange).thread(exchange.getRequest());
  }

  private ReactiveOrigin origin(ServerWebExchange exchange) {
    return ReactiveOrigin.of(exchange.getRequest(), origins);
  }

  private Mono<Void> admitted(
      Admission admission, ServerWebExchange exchange, WebFilterChain chain) {
    HttpHeaders headers = exchange.getResponse().getHeaders();
    admission.fields().forEach(field -> headers.add(field.name(), field.value()));
    return switch (admission) {
      case Admission.Passed passed -> chain.filter(exchange);
      case Admission.Queued queued ->
          Mono.delay(queued.delay())
              .publishOn(thread(exchange))
              .then(
                  Mono.defer(
                      () -> {
                        queued.ticket().waited();
                        return chain.filter(exchange);
                      }));
      case Admission.Refused refused -> write(exchange.getResponse(), refused.problem());
    };
  }

  static Mono<Void> write(ServerHttpResponse response, Problem problem) {
    if (response.isCommitted()) {
      // The server aborts the response, so that the client does not take it for complete.
      return Mono.error(
          new IllegalStateException(
              "a refusal cannot be sent, because the response has begun: " + problem));
    }
    response.setStatusCode(HttpStatusCode.valueOf(problem.status()));
    response.getHeaders().set(HttpHeaders.CONTENT_TYPE, Problem.MEDIA_TYPE);
    byte[] body = problem.bytes();
    response.getHeaders().setContentLength(body.length);
    DataBuffer buffer = response.bufferFactory().wrap(body);
    return response.writeWith(Mono.just(buffer));
  }
}
