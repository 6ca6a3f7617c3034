package dev.weir.payments.workflows;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The empty body of a request that is sent once. The client of the JDK sends a GET again if its
 * connection ends without an answer, and knows no setting against that; the payment API may have
 * got the first one, so it would see more requests than were counted. The client asks for the
 * length of the body whenever it is about to send the request.
 */
final class SentOnce implements HttpRequest.BodyPublisher {
  private final HttpRequest.BodyPublisher empty = HttpRequest.BodyPublishers.noBody();
  private final AtomicBoolean isSent = new AtomicBoolean();

  @Override
  public long contentLength() {
    if (isSent.getAndSet(true)) {
      throw new UncheckedIOException(new IOException("the connection ended without an answer"));
    }
    return empty.contentLength();
  }

  @Override
  public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
    empty.subscribe(subscriber);
  }
}
