package dev.weir.server.gateway;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A way to an upstream: a connection of HTTP/1.1, or one stream of HTTP/2. */
@SuppressWarnings("FutureReturnValueIgnored") // Netty's; a connection that fails is closed by it.
final class UpstreamConnection extends ChannelInboundHandlerAdapter {
  private static final Logger log = LoggerFactory.getLogger(UpstreamConnection.class);

  private final Channel channel;
  private final FlowControlledChannel wire;
  private final Owner owner;
  private @Nullable Served passage;
  private boolean isOpen;

  /** Whether what was read last is the head of an answer before the answer. */
  private boolean isInterim;

  private long idleSinceNanos;

  /** Where it comes from. */
  interface Owner {
    /** Takes back a way whose answer was read to its end. */
    void release(UpstreamConnection connection);

    /** A way is closed. */
    void lost(UpstreamConnection connection);
  }

  /** The request that it carries; it is told what the upstream does. */
  interface Served {
    /** The upstream's answer begins. */
    void answer(HttpResponse answer);

    /** A piece of the answer's body. */
    void answerPart(HttpContent piece);

    /** Such as 100 Continue: the answer is yet to come. */
    void interim(HttpResponse answer);

    /** The upstream wants to speak another protocol. */
    void switchProtocols(HttpResponse answer);

    void bytesFromUpstream(ByteBuf bytes);

    /** What the upstream says is no answer. */
    void unreadable();

    /** All that the upstream has sent is read. */
    void upstreamPaused();

    void upstreamWritable();

    /** The way to the upstream is closed. */
    void upstreamGone();
  }

  UpstreamConnection(Channel channel, Owner owner) {
    this.channel = channel;
    this.wire = new FlowControlledChannel(channel);
    this.owner = owner;
  }

  FlowControlledChannel wire() {
    return wire;
  }

  /** From now on it works for a request. */
  void serve(Served served) {
    passage = served;
  }

  boolean isActive() {
    return channel.isActive();
  }

  /** It can be used; from now on its pool hears of its end. */
  UpstreamConnection opened() {
    isOpen = true;
    return this;
  }

  /** From now on it carries bytes, not messages. */
  void becomeTunnel() {
    channel.pipeline().remove(HttpClientCodec.class);
  }

  /** Gives it to whoever comes next. */
  void release() {
    passage = null;
    idleSinceNanos = System.nanoTime();
    wire.read(true);
    owner.release(this);
  }

  /** Closes it; nobody is told. */
  void abandon() {
    passage = null;
    channel.close();
  }

  boolean isIdleSince(long nanos) {
    return idleSinceNanos - nanos < 0;
  }

  void close() {
    channel.close();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    Served serving = passage;
    if (serving == null) {
      // Nobody has asked.
      ReferenceCountUtil.release(message);
      context.close();
      return;
    }
    switch (message) {
      case HttpResponse head -> head(serving, head);
      case HttpContent part -> part(serving, part);
      case ByteBuf bytes -> serving.bytesFromUpstream(bytes);
      default -> ReferenceCountUtil.release(message);
    }
  }

  private void head(Served serving, HttpResponse head) {
    isInterim = false;
    if (head.decoderResult().isFailure()) {
      ReferenceCountUtil.release(head);
      serving.unreadable();
    } else if (head.status().code() == HttpResponseStatus.SWITCHING_PROTOCOLS.code()) {
      serving.switchProtocols(head);
    } else if (head.status().codeClass() == HttpStatusClass.INFORMATIONAL) {
      isInterim = !(head instanceof LastHttpContent);
      serving.interim(head);
    } else if (!ForwardedHeaders.isOnlyChunked(head.headers())) {
      // We never send TE, so no other encoding was asked for, and the client could not undo it.
      ReferenceCountUtil.release(head);
      serving.unreadable();
    } else {
      serving.answer(head);
    }
  }

  private void part(Served serving, HttpContent part) {
    if (isInterim) {
      isInterim = !(part instanceof LastHttpContent);
      part.release();
    } else {
      serving.answerPart(part);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    if (passage != null) {
      passage.upstreamPaused();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (passage != null && channel.isWritable()) {
      passage.upstreamWritable();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    Served serving = passage;
    passage = null;
    if (isOpen) {
      owner.lost(this);
    }
    if (serving != null) {
      serving.upstreamGone();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    log.debug("A connection to an upstream failed", cause);
    context.close();
  }
}
