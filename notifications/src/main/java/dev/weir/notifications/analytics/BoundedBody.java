package dev.weir.notifications.analytics;

import java.io.IOException;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** Reads a response into memory, up to a maximum size. */
final class BoundedBody implements BodySubscriber<byte[]> {
  private final BodySubscriber<byte[]> bytes = BodySubscribers.ofByteArray();
  private final int max;
  private long received;
  private Flow.@Nullable Subscription subscription;

  private BoundedBody(int max) {
    this.max = max;
  }

  /** Returns a handler that fails with an {@link IOException} above {@code max} bytes. */
  static BodyHandler<byte[]> ofUpTo(int max) {
    return info -> new BoundedBody(max);
  }

  @Override
  public CompletionStage<byte[]> getBody() {
    return bytes.getBody();
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    subscription = given;
    bytes.onSubscribe(given);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    long before = received;
    for (ByteBuffer buffer : buffers) {
      received += buffer.remaining();
    }
    if (received <= max) {
      bytes.onNext(buffers);
    } else if (before <= max && subscription != null) {
      subscription.cancel();
      bytes.onError(new IOException("the answer has more than %d bytes".formatted(max)));
    }
  }

  @Override
  public void onError(Throwable failure) {
    bytes.onError(failure);
  }

  @Override
  public void onComplete() {
    bytes.onComplete();
  }
}
