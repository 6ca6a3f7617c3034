package dev.weir.spring;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.atomic.AtomicReference;
import org.springframework.http.server.reactive.AbstractServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.netty.http.server.HttpServerRequest;

/**
 * Requests that come through Reactor Netty, from which they are read, and to whose thread they
 * return.
 *
 * <p>Read from there, they are as they were sent: Spring's {@code ForwardedHeaderTransformer},
 * which comes before all filters, takes the left-most hop for the peer and a header for the
 * beginning of the path, whoever wrote them.
 *
 * <p>They return, because an answer that is done on another thread may let its connection go deaf:
 * Reactor Netty 1.3.7 may not read on if the next request of the client came before that was
 * noticed. A service that answers on Netty's threads is not to be led away from them by us.
 */
final class NettyOrigin implements ReactiveOrigin {
  @Override
  public RequestSource source(ServerHttpRequest request) {
    return inner(request) instanceof HttpServerRequest netty
        ? new NettySource(netty)
        : UNKNOWN.source(request);
  }

  @Override
  public Scheduler thread(ServerHttpRequest request) {
    if (!(inner(request) instanceof HttpServerRequest netty)) {
      return UNKNOWN.thread(request);
    }
    AtomicReference<Scheduler> thread = new AtomicReference<>(Schedulers.immediate());
    netty.withConnection(
        connection -> thread.set(Schedulers.fromExecutor(connection.channel().eventLoop())));
    return requireNonNull(thread.get());
  }

  private static Object inner(ServerHttpRequest request) {
    return request instanceof AbstractServerHttpRequest
            || request instanceof ServerHttpRequestDecorator
        ? ServerHttpRequestDecorator.getNativeRequest(request)
        : request;
  }
}
