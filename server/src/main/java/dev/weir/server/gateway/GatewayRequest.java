package dev.weir.server.gateway;

import dev.weir.engine.rules.Request;
import dev.weir.engine.rules.RequestPath;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request as rules see it: what they see is what the upstream gets. */
record GatewayRequest(String method, RequestPath path, String clientAddress, HttpHeaders headers)
    implements Request {

  /**
   * {@inheritDoc}
   *
   * @throws RepeatedHeaderException if it stands there twice: nobody knows which one the upstream
   *     takes, and by the other a caller could be counted as anybody
   */
  @Override
  public @Nullable String header(String name) {
    List<String> values = headers.getAll(name);
    if (values.size() > 1) {
      throw new RepeatedHeaderException(name);
    }
    return values.isEmpty() ? null : values.getFirst();
  }

  /** A header by which requests are counted stands there more than once. */
  static final class RepeatedHeaderException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RepeatedHeaderException(String name) {
      super("The header " + name + " may stand there only once.");
    }
  }
}
