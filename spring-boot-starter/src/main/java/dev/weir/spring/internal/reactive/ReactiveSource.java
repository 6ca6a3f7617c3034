package dev.weir.spring.internal.reactive;

import dev.weir.spring.internal.gate.RequestSource;
import java.net.InetSocketAddress;
import java.util.List;
import org.springframework.http.server.reactive.ServerHttpRequest;

/** A request with the data that WebFlux provides. */
record ReactiveSource(ServerHttpRequest request) implements RequestSource {
  static final String UNKNOWN = "unknown";

  @Override
  public String target() {
    String path = request.getURI().getRawPath();
    return path == null || path.isEmpty() ? "/" : path;
  }

  @Override
  public String peer() {
    InetSocketAddress peer = request.getRemoteAddress();
    return peer == null ? UNKNOWN : text(peer);
  }

  static String text(InetSocketAddress peer) {
    return peer.getAddress() == null ? peer.getHostString() : peer.getAddress().getHostAddress();
  }

  @Override
  public List<String> headers(String name) {
    return request.getHeaders().getOrEmpty(name);
  }

  @Override
  public Iterable<String> headerNames() {
    return request.getHeaders().headerNames();
  }
}
