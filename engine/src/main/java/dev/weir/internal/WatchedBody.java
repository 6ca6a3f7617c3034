package dev.weir.internal;

import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/**
 * The body of an HTTP request that tells whether it was asked for, which the client of the JDK does
 * when there is a connection. A request whose body was not sent has done nothing, whatever its
 * failure is. Thread-safe.
 */
public final class WatchedBody implements HttpRequest.BodyPublisher {
  private final HttpRequest.BodyPublisher content;
  private volatile boolean isAskedFor;

  private WatchedBody(HttpRequest.BodyPublisher content) {
    this.content = content;
  }

  /** Returns a body for one request. */
  public static WatchedBody of(byte[] content) {
    return new WatchedBody(HttpRequest.BodyPublishers.ofByteArray(content));
  }

  /**
   * Returns true if a request that has failed was certainly not sent.
   *
   * @param failure what the client reports; null if that is unknown
   */
  public static boolean isUnsent(HttpRequest request, @Nullable Throwable failure) {
    return failure instanceof ConnectException
        || failure instanceof HttpConnectTimeoutException
        // The client asks for the body also after the other side has ended the handshake.
        || failure instanceof SSLHandshakeException
        || request
            .bodyPublisher()
            .filter(body -> body instanceof WatchedBody watched && !watched.isAskedFor)
            .isPresent();
  }

  @Override
  public long contentLength() {
    return content.contentLength();
  }

  @Override
  public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
    isAskedFor = true;
    content.subscribe(subscriber);
  }
}
