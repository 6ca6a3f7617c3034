package dev.weir.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** The body of an answer in memory, up to a number of bytes. */
final class BoundedBody implements BodySubscriber<byte[]> {
  private final CompletableFuture<byte[]> whole = new CompletableFuture<>();
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final int maxBytes;
  private Flow.@Nullable Subscription subscription;

  /** Thrown if an answer is longer than it may be. */
  static final class TooLongException extends IOException {
    private static final long serialVersionUID = 1L;

    TooLongException(int maxBytes) {
      super("it is longer than %d bytes".formatted(maxBytes));
    }
  }

  private BoundedBody(int maxBytes) {
    this.maxBytes = maxBytes;
  }

  static BodyHandler<byte[]> handler(int maxBytes) {
    return head -> new BoundedBody(maxBytes);
  }

  @Override
  public CompletionStage<byte[]> getBody() {
    return whole;
  }

  @Override
  public void onSubscribe(Flow.Subscription body) {
    subscription = body;
    body.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(List<ByteBuffer> parts) {
    for (ByteBuffer part : parts) {
      if (part.remaining() > maxBytes - bytes.size()) {
        if (subscription != null) {
          subscription.cancel();
        }
        whole.completeExceptionally(new TooLongException(maxBytes));
        return;
      }
      byte[] piece = new byte[part.remaining()];
      part.get(piece);
      bytes.writeBytes(piece);
    }
  }

  @Override
  public void onError(Throwable failure) {
    whole.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    whole.complete(bytes.toByteArray());
  }
}
