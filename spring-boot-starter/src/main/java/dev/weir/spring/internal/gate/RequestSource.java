package dev.weir.spring.internal.gate;

import dev.weir.TrustedProxies;
import dev.weir.rules.matching.Request;
import dev.weir.rules.matching.RequestPath;
import dev.weir.rules.matching.internal.SingleHeader;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request as a web server provides it, from which the request for the rules is created. */
public interface RequestSource {
  /** Returns the path as it was sent, still encoded. */
  String target();

  /** Returns the address of the direct peer. */
  String peer();

  /** Returns all lines of a header, in order. */
  List<String> headers(String name);

  /** Returns the names of all headers. */
  Iterable<String> headerNames();

  /**
   * Returns the request for the rules.
   *
   * @param method the method as the service sees it
   * @throws dev.weir.rules.matching.AmbiguousPathException if its path could be read in two ways
   */
  default Request read(String method, TrustedProxies proxies) {
    return new Read(
        method,
        RequestPath.ofUnchanged(target()),
        proxies.client(peer(), headers("Forwarded"), headers("X-Forwarded-For")),
        this);
  }

  /** A request whose path and client address have been determined. */
  record Read(String method, RequestPath path, String clientAddress, RequestSource source)
      implements Request {
    @Override
    public @Nullable String header(String name) {
      return SingleHeader.value(name, source.headers(name), source.headerNames().iterator());
    }
  }
}
