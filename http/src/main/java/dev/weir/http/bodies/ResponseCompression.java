package dev.weir.http.bodies;

import io.micronaut.context.event.BeanCreatedEvent;
import io.micronaut.context.event.BeanCreatedEventListener;
import io.micronaut.http.MediaType;
import io.micronaut.http.server.netty.HttpCompressionStrategy;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import jakarta.inject.Singleton;

/**
 * Leaves out of compression what must arrive as it was written: a response with an entity tag,
 * which names its bytes, so that two codings must not have the same one (RFC 9110, 8.8.3); and a
 * stream of events, of which compression would put minutes into buffers that are bounded in bytes.
 */
@Singleton
final class ResponseCompression implements BeanCreatedEventListener<HttpCompressionStrategy> {
  @Override
  public HttpCompressionStrategy onCreated(BeanCreatedEvent<HttpCompressionStrategy> event) {
    return new Restrained(event.getBean());
  }

  private record Restrained(HttpCompressionStrategy usual) implements HttpCompressionStrategy {
    @Override
    public boolean isEnabled() {
      return usual.isEnabled();
    }

    @Override
    public boolean shouldCompress(HttpResponse response) {
      HttpHeaders headers = response.headers();
      String type = headers.get(HttpHeaderNames.CONTENT_TYPE, "");
      return !headers.contains(HttpHeaderNames.ETAG)
          && !type.startsWith(MediaType.TEXT_EVENT_STREAM)
          && usual.shouldCompress(response);
    }

    @Override
    public int getCompressionLevel() {
      return usual.getCompressionLevel();
    }

    @Override
    public int getMaxZstdEncodeSize() {
      return usual.getMaxZstdEncodeSize();
    }
  }
}
