package dev.weir.server.gateway;

import dev.weir.rules.matching.Request;
import dev.weir.rules.matching.RequestPath;
import dev.weir.rules.matching.internal.SingleHeader;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request as rules see it. The upstream receives the same values. */
record GatewayRequest(String method, RequestPath path, String clientAddress, HttpHeaders headers)
    implements Request {

  @Override
  public @Nullable String header(String name) {
    return SingleHeader.value(name, headers.getAll(name), names());
  }

  private Iterator<CharSequence> names() {
    Iterator<Map.Entry<CharSequence, CharSequence>> all = headers.iteratorCharSequence();
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return all.hasNext();
      }

      @Override
      public CharSequence next() {
        return all.next().getKey();
      }
    };
  }
}
