package dev.weir.spring.internal.reactive;

import dev.weir.spring.internal.gate.RequestSource;
import java.net.InetSocketAddress;
import java.util.List;
import reactor.netty.http.server.HttpServerRequest;

/** A request of Reactor Netty. */
record NettySource(HttpServerRequest request) implements RequestSource {
  @Override
  public String target() {
    return request.uri();
  }

  /** Returns the address of the connection, not one from a header. */
  @Override
  public String peer() {
    return request.connectionRemoteAddress() instanceof InetSocketAddress peer
        ? ReactiveSource.text(peer)
        : ReactiveSource.UNKNOWN;
  }

  @Override
  public List<String> headers(String name) {
    return request.requestHeaders().getAll(name);
  }

  @Override
  public Iterable<String> headerNames() {
    return request.requestHeaders().names();
  }
}
