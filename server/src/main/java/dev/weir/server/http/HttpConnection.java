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
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * One connection: whether it owes an answer, and how it is closed without losing one.
 *
 * <p>Closing a socket with unread bytes resets the connection, and a reset destroys an answer that
 * the client has not read yet. So whoever closes here first says that nothing more will come, then
 * reads on for a moment until the client has closed too (RFC 9112, 9.6).
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty's; a connection that fails is closed by it.
public final class HttpConnection {
  private static final String BYTES = "weir-bytes";
  private static final String MESSAGES = "weir-messages";

  /** How long a client may take to close its side. */
  private static final long LINGER_MILLIS = 1_000;

  /** How often a connection that owes an answer is looked at again. */
  private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final Channel channel;

  // All that follows belongs to the channel's event loop.
  private int unanswered;
  private long wholeRequests;
  private boolean halfRead;
  private boolean saidAll;
  private long activeNanos = System.nanoTime();

  /** Begins to watch a connection whose pipeline has been built. */
  HttpConnection(Channel channel) {
    this.channel = channel;
    channel
        .pipeline()
        .addFirst(BYTES, new Bytes())
        .addAfter(ChannelPipelineCustomizer.HANDLER_HTTP_SERVER_CODEC, MESSAGES, new Messages());
  }

  /** Has requests looked at before the router sees them. */
  public void add(String name, ChannelHandler handler) {
    channel.pipeline().addAfter(MESSAGES, name, handler);
  }

  /** Whether the request that was read last is the only one that is owed an answer. */
  public boolean owesOne() {
    return unanswered == 1;
  }

  /** Ends when it owes no answer and has been idle for so long from now on. */
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
   * Always called by the timer, before which the event loop reads whatever has arrived: a request
   * can only be overlooked if it comes in the few microseconds between.
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

  /** Next to the socket. */
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
      // The client's own end closes the channel, and this comes too late to do anything.
      channel
          .eventLoop()
          .schedule(() -> context.close(promise), LINGER_MILLIS, TimeUnit.MILLISECONDS);
      context.read();
    }
  }

  /** Where bytes have become requests, and answers are not yet bytes. */
  private final class Messages extends ChannelDuplexHandler {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (message instanceof HttpRequest) {
        unanswered++;
      }
      if (message instanceof LastHttpContent) {
        wholeRequests++;
      }
      context.fireChannelRead(message);
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
      if (message instanceof LastHttpContent && !isInterim(message)) {
        unanswered--;
        activeNanos = System.nanoTime();
      }
      context.write(message, promise);
    }

    /** Such as 100 Continue: the answer is yet to come. */
    private static boolean isInterim(Object message) {
      return message instanceof HttpResponse response
          && response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
    }
  }
}
