package dev.weir.http.connections;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpHeadersFactory;
import io.netty.handler.codec.http.TooLongHttpHeaderException;

/**
 * Creates the headers of requests, with a max number of fields: very short ones take forty times as
 * much memory as they have bytes, so their size alone is no bound.
 */
public final class FewHeaders implements HttpHeadersFactory {
  static final int MAX_FIELDS = 1_024;

  private static final HttpHeadersFactory HEADERS =
      new FewHeaders(DefaultHttpHeadersFactory.headersFactory());
  private static final HttpHeadersFactory TRAILERS =
      new FewHeaders(DefaultHttpHeadersFactory.trailersFactory());

  private final DefaultHttpHeadersFactory validation;

  private FewHeaders(DefaultHttpHeadersFactory validation) {
    this.validation = validation;
  }

  /** Makes a decoder count the fields of its requests. */
  public static HttpDecoderConfig in(HttpDecoderConfig config) {
    return config.setHeadersFactory(HEADERS).setTrailersFactory(TRAILERS);
  }

  @Override
  public HttpHeaders newHeaders() {
    return new Counted(validation);
  }

  @Override
  public HttpHeaders newEmptyHeaders() {
    return new Counted(validation);
  }

  private static final class Counted extends DefaultHttpHeaders {
    private int fields;

    Counted(DefaultHttpHeadersFactory validation) {
      super(validation.getNameValidator(), validation.getValueValidator());
    }

    /** Adds a field. The decoder calls this method for each field of a request. */
    @Override
    public HttpHeaders add(CharSequence name, Object value) {
      fields++;
      if (fields > MAX_FIELDS) {
        throw new TooLongHttpHeaderException("more than " + MAX_FIELDS + " header fields");
      }
      return super.add(name, value);
    }
  }
}
