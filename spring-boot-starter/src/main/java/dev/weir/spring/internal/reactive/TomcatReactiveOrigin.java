package dev.weir.spring.internal.reactive;

import dev.weir.spring.internal.gate.RequestSource;
import dev.weir.spring.internal.servlet.ServletSource;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.http.server.reactive.ServerHttpRequest;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Reads requests from the servlet container below WebFlux, where they are as {@code
 * TomcatPeerValve} has seen them.
 */
public final class TomcatReactiveOrigin implements ReactiveOrigin {
  @Override
  public boolean knows(ServerHttpRequest request) {
    return ReactiveOrigin.inner(request) instanceof HttpServletRequest;
  }

  @Override
  public RequestSource source(ServerHttpRequest request) {
    return ServletSource.of((HttpServletRequest) ReactiveOrigin.inner(request));
  }

  @Override
  public Scheduler thread(ServerHttpRequest request) {
    return Schedulers.immediate();
  }
}
