package dev.weir.spring;

import dev.weir.engine.rules.Request;
import dev.weir.engine.rules.RequestPath;
import dev.weir.engine.rules.SingleHeader;
import dev.weir.engine.rules.TrustedProxies;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request as a web server has it, from which the one is made that rules look at. */
interface RequestSource {
  String method();

  /** The path as it was sent, still encoded. */
  String target();

  /** The address of whoever sent it to us. */
  String peer();

  /** All lines of a header, in order. */
  List<String> headers(String name);

  /** The names of all headers. */
  Iterable<String> headerNames();

  /**
   * What rules look at.
   *
   * @throws dev.weir.engine.rules.AmbiguousPathException if its path could be read in two ways
   */
  default Request read(TrustedProxies proxies) {
    return new Read(
        method(),
        RequestPath.ofUnchanged(target()),
        proxies.client(peer(), headers("Forwarded"), headers("X-Forwarded-For")),
        this);
  }

  /** A request whose path and client are found out. */
  record Read(String method, RequestPath path, String clientAddress, RequestSource source)
      implements Request {
    @Override
    public @Nullable String header(String name) {
      return SingleHeader.value(name, source.headers(name), source.headerNames().iterator());
    }
  }
}
