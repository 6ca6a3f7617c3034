package dev.weir.spring;

import java.net.InetSocketAddress;
import java.util.List;
import org.springframework.http.server.reactive.ServerHttpRequest;

/** A request of WebFlux. */
record ReactiveSource(ServerHttpRequest request) implements RequestSource {
  private static final String UNKNOWN = "unknown";

  @Override
  public String method() {
    return request.getMethod().name();
  }

  @Override
  public String target() {
    String path = request.getURI().getRawPath();
    return path == null || path.isEmpty() ? "/" : path;
  }

  @Override
  public String peer() {
    InetSocketAddress peer = request.getRemoteAddress();
    if (peer == null) {
      return UNKNOWN;
    }
    return peer.getAddress() == null ? peer.getHostString() : peer.getAddress().getHostAddress();
  }

  @Override
  public List<String> headers(String name) {
    return request.getHeaders().getOrEmpty(name);
  }
}
