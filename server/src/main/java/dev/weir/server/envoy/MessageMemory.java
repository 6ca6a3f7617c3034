package dev.weir.server.envoy;

import dev.weir.http.connections.RequestMemory;
import io.grpc.Context;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/**
 * Counts the bytes of messages that have arrived, in part or as a whole, until their calls end, and
 * refuses calls for which the budget of all connections has no room.
 */
final class MessageMemory extends ServerStreamTracer.Factory implements ServerInterceptor {
  private static final Context.Key<Held> HELD = Context.key("weir-message-memory");

  private final RequestMemory budget;

  MessageMemory(RequestMemory budget) {
    this.budget = budget;
  }

  @Override
  public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
    return new Held(budget);
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    Held held = HELD.get();
    held.refuseBy(
        () ->
            call.close(
                Status.RESOURCE_EXHAUSTED.withDescription(
                    "too many bytes of messages are in progress"),
                new Metadata()));
    return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
      @Override
      public void onMessage(Q message) {
        if (!held.isRefused()) {
          super.onMessage(message);
        }
      }

      @Override
      public void onHalfClose() {
        if (!held.isRefused()) {
          super.onHalfClose();
        }
      }
    };
  }

  /** What one call holds. The thread that reads the connection counts, others may end the call. */
  private static final class Held extends ServerStreamTracer {
    private final RequestMemory budget;
    private long bytes;
    private boolean isRefused;
    private boolean isClosed;
    private @Nullable Runnable refusal;

    Held(RequestMemory budget) {
      this.budget = budget;
    }

    @Override
    public Context filterContext(Context context) {
      return context.withValue(HELD, this);
    }

    synchronized void refuseBy(Runnable closing) {
      refusal = closing;
    }

    synchronized boolean isRefused() {
      return isRefused;
    }

    @Override
    public synchronized void inboundWireSize(long more) {
      if (isRefused || isClosed) {
        return;
      }
      if (budget.take(bytes, more)) {
        bytes += more;
        return;
      }
      isRefused = true;
      if (refusal != null) {
        refusal.run();
      }
    }

    @Override
    public synchronized void streamClosed(Status status) {
      isClosed = true;
      budget.giveBack(bytes);
      bytes = 0;
    }
  }
}
