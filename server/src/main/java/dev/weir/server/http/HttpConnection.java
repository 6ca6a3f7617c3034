package dev.weir.server.http;

import io.micronaut.http.netty.channel.ChannelPipelineCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * One connection: tracks pending responses and closes without losing one.
 *
 * <p>Closing a socket with unread bytes resets the connection, and a reset destroys a response that
 * the client has not read yet. A close therefore shuts down the output first, then reads on for a
 * moment until the client has closed too (RFC 9112, 9.6).
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty closes a connection that fails.
public final class HttpConnection {
  private static final String BYTES = "weir-bytes";
  private static final String MESSAGES = "weir-messages";

  /** Max time for a client to close its side. */
  private static final long LINGER_MILLIS = 1_000;

  /** Interval at which a connection with a pending response is checked again. */
  private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final Channel channel;

  // The fields below are confined to the channel's event loop.
  private int unanswered;
  private int responsesNotBegun;
  private boolean isBodyOpen;
  private boolean isReading;
  private long wholeRequests;
  private boolean halfRead;
  private boolean saidAll;
  private long activeNanos = System.nanoTime();

  /** Starts to watch a connection whose pipeline has been built. */
  HttpConnection(Channel channel) {
    this.channel = channel;
    channel
        .pipeline()
        .addFirst(BYTES, new Bytes())
        .addAfter(ChannelPipelineCustomizer.HANDLER_HTTP_SERVER_CODEC, MESSAGES, new Messages());
  }

  /** Adds a handler that sees requests before the router does. */
  public void add(String name, ChannelHandler handler) {
    channel.pipeline().addAfter(MESSAGES, name, handler);
  }

  /** Returns true if the last request read is the only one without a response. */
  public boolean owesOne() {
    return unanswered == 1;
  }

  /**
   * Closes the connection once it has no pending response and has been idle for this long from now.
   */
  CompletableFuture<Void> endWhenIdle(Duration idle) {
    channel
        .eventLoop()
        .execute(
            () -> {
              activeNanos = System.nanoTime();
              look(idle.toNanos());
            });
    CompletableFuture<Void> ended = new CompletableFuture<>();
    channel.closeFuture().addListener(closed -> ended.complete(null));
    return ended;
  }

  /**
   * Closes the connection if it is idle, or checks again later. Always called by the timer, before
   * which the event loop reads all bytes that have arrived: a request can be missed only if it
   * arrives in the few microseconds between.
   */
  private void look(long idleNanos) {
    if (!channel.isActive() || saidAll) {
      return;
    }
    long idleForNanos = System.nanoTime() - activeNanos;
    long laterNanos = isBusy() ? LOOK_AGAIN_NANOS : idleNanos - idleForNanos;
    if (laterNanos > 0) {
      channel.eventLoop().schedule(() -> look(idleNanos), laterNanos, TimeUnit.NANOSECONDS);
    } else {
      channel.close();
    }
  }

  private boolean isBusy() {
    ChannelOutboundBuffer unwritten = channel.unsafe().outboundBuffer();
    return unanswered > 0 || halfRead || (unwritten != null && !unwritten.isEmpty());
  }

  /** The handler next to the socket, which sees bytes. */
  private final class Bytes extends ChannelDuplexHandler {
    @Override
    public void channelRead(ChannelHandlerContext context, Object bytes) {
      if (saidAll) {
        ReferenceCountUtil.release(bytes);
        return;
      }
      activeNanos = System.nanoTime();
      long before = wholeRequests;
      context.fireChannelRead(bytes);
      halfRead = wholeRequests == before;
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      context.fireChannelReadComplete();
      if (saidAll) {
        context.read();
      }
    }

    @Override
    public void close(ChannelHandlerContext context, ChannelPromise promise) {
      if (saidAll || !channel.isActive() || !(channel instanceof DuplexChannel duplex)) {
        context.close(promise);
        return;
      }
      saidAll = true;
      duplex.shutdownOutput();
      // The channel closes when the client closes its side; this timer then has no effect.
      channel
          .eventLoop()
          .schedule(() -> context.close(promise), LINGER_MILLIS, TimeUnit.MILLISECONDS);
      context.read();
    }
  }

  /** The handler that sees decoded requests, and responses before they are encoded. */
  private final class Messages extends ChannelDuplexHandler {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      isReading = false;
      if (message instanceof HttpRequest) {
        unanswered++;
        responsesNotBegun++;
        isBodyOpen = true;
      }
      if (message instanceof LastHttpContent) {
        wholeRequests++;
        isBodyOpen = false;
      }
      context.fireChannelRead(message);
    }

    @Override
    public void read(ChannelHandlerContext context) {
      isReading = true;
      context.read();
    }

    /**
     * A client that waits for its response is not idle, even if that takes longer than a client may
     * be silent. Neither is one whose body is not being read, because its sender cannot go on.
     */
    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
      boolean isServersTurn = responsesNotBegun > 0 && !(isBodyOpen && isReading);
      if (!(event instanceof IdleStateEvent) || !isServersTurn) {
        context.fireUserEventTriggered(event);
      }
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
      if (message instanceof HttpResponse && !isInterim(message)) {
        responsesNotBegun--;
      }
      if (message instanceof LastHttpContent && !isInterim(message)) {
        unanswered--;
        activeNanos = System.nanoTime();
      }
      context.write(message, promise);
    }

    /**
     * Returns true for an interim response such as 100 Continue, after which the final one follows.
     */
    private static boolean isInterim(Object message) {
      return message instanceof HttpResponse response
          && response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
    }
  }
}
