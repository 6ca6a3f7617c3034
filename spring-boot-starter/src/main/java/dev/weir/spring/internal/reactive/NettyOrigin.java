package dev.weir.spring.internal.reactive;

import static java.util.Objects.requireNonNull;

import dev.weir.spring.internal.gate.RequestSource;
import java.util.concurrent.atomic.AtomicReference;
import org.springframework.http.server.reactive.ServerHttpRequest;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.netty.http.server.HttpServerRequest;

/**
 * Reads requests from Reactor Netty, and returns them to its threads.
 *
 * <p>There, requests are as they were sent: Spring's {@code ForwardedHeaderTransformer}, which runs
 * before all filters, takes the left-most hop for the peer and a header for the start of the path,
 * regardless of who wrote them.
 *
 * <p>Requests return to Netty's threads, because completing a response on another thread may stall
 * its connection: Reactor Netty 1.3.7 may stop reading if the client's next request arrives before
 * the completion is noticed. Weir must not move a service that responds on Netty's threads away
 * from them.
 */
public final class NettyOrigin implements ReactiveOrigin {
  @Override
  public boolean knows(ServerHttpRequest request) {
    return ReactiveOrigin.inner(request) instanceof HttpServerRequest;
  }

  @Override
  public RequestSource source(ServerHttpRequest request) {
    return new NettySource((HttpServerRequest) ReactiveOrigin.inner(request));
  }

  @Override
  public Scheduler thread(ServerHttpRequest request) {
    AtomicReference<Scheduler> thread = new AtomicReference<>(Schedulers.immediate());
    ((HttpServerRequest) ReactiveOrigin.inner(request))
        .withConnection(
            connection -> thread.set(Schedulers.fromExecutor(connection.channel().eventLoop())));
    return requireNonNull(thread.get());
  }
}
