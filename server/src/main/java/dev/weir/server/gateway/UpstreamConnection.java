package dev.weir.server.gateway;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A connection to an upstream: an HTTP/1.1 connection, or one HTTP/2 stream. */
@SuppressWarnings("FutureReturnValueIgnored") // Netty closes a connection that fails.
final class UpstreamConnection extends ChannelInboundHandlerAdapter {
  private static final Logger log = LoggerFactory.getLogger(UpstreamConnection.class);

  private static final int MIN_STATUS = 100;
  private static final int MAX_STATUS = 599;

  private final Channel channel;
  private final FlowControlledChannel wire;
  private final Owner owner;
  private @Nullable Served passage;
  private boolean isOpen;

  /** Whether the last head that was read belongs to an interim response. */
  private boolean isInterim;

  /** Whether the response is complete, but the read that brought its end is not. */
  private boolean isReleased;

  private boolean isClosing;

  /** Whether the upstream has ended the stream of a request that it may have worked on. */
  private boolean isReset;

  /** Whether the connection counts as one whose request is still arriving. */
  private boolean isUnfinished;

  private final long openedNanos = System.nanoTime();
  private long idleSinceNanos;

  /** Owns the connection: a pool, or the HTTP/2 connection of a stream. */
  interface Owner {
    /** Takes back a connection that carries no request. */
    void release(UpstreamConnection connection);

    /** Called when a connection is closed. */
    void lost(UpstreamConnection connection);

    /** Called when the body of the request has arrived that was still arriving when it began. */
    void finished();
  }

  /** The request that the connection carries; receives what the upstream sends. */
  interface Served {
    /** Called with the head of the final response. */
    void response(HttpResponse response);

    /** Called with a piece of the response body. */
    void responseContent(HttpContent piece);

    /** Called with an interim response, such as 100 Continue; the final response follows. */
    void interim(HttpResponse response);

    /** Called when the upstream switches protocols. */
    void switchProtocols(HttpResponse response);

    void bytesFromUpstream(ByteBuf bytes);

    /** Called when the connection, after its response, is back in its pool or closed. */
    void released();

    /** Called when the upstream's response is invalid. */
    void unreadable();

    /** Called when everything that the upstream has sent so far has been read. */
    void upstreamPaused();

    void upstreamWritable();

    /**
     * Called when the upstream connection is closed.
     *
     * @param isUntouched whether nothing of a response has arrived, and nothing says that the
     *     upstream has worked on the request
     */
    void upstreamGone(boolean isUntouched);
  }

  UpstreamConnection(Channel channel, Owner owner) {
    this.channel = channel;
    this.wire = new FlowControlledChannel(channel);
    this.owner = owner;
  }

  FlowControlledChannel wire() {
    return wire;
  }

  /** Assigns the connection to a request. */
  void serve(Served served) {
    passage = served;
  }

  /**
   * Returns true if the connection can carry another request: everything was sent, and everything
   * that has arrived was read.
   */
  boolean isReusable() {
    return channel.isActive() && !isClosing && isSent() && isDrained();
  }

  private boolean isSent() {
    ChannelOutboundBuffer unsent = channel.unsafe().outboundBuffer();
    return unsent != null && unsent.totalPendingWriteBytes() == 0;
  }

  /**
   * Returns true if the last read emptied the socket's buffer. A read ends early if the client is
   * slow or the response is long, and what it leaves may be more than the response.
   */
  private boolean isDrained() {
    var reads = channel.unsafe().recvBufAllocHandle();
    return reads.attemptedBytesRead() == 0 || reads.lastBytesRead() < reads.attemptedBytesRead();
  }

  /** Marks the connection as usable; from now on its pool is notified when it closes. */
  UpstreamConnection opened() {
    isOpen = true;
    return this;
  }

  /** Marks the request of the connection as one that is still arriving. */
  UpstreamConnection unfinished(boolean is) {
    isUnfinished = is;
    return this;
  }

  /** Called when the request has arrived completely, or is over. Idempotent. */
  void finish() {
    if (isUnfinished) {
      isUnfinished = false;
      owner.finished();
    }
  }

  /** Switches from HTTP messages to raw bytes. */
  void becomeTunnel() {
    // The encoder first: the decoder hands on its bytes, and the other side may respond to them.
    channel.pipeline().remove(RequestEncoder.class);
    channel.pipeline().remove(ResponseDecoder.class);
  }

  /**
   * Ends the request after its response, and returns the connection to its pool when the current
   * read is complete: the decoder is still working on it, and may find more than the response.
   */
  void release() {
    isReleased = true;
  }

  /** Returns the connection to its pool immediately; it carries no request. */
  void releaseUnused() {
    idleSinceNanos = System.nanoTime();
    wire.read(true);
    finish();
    owner.release(this);
  }

  /** Closes the connection without notifying the request. */
  void abandon() {
    passage = null;
    isReleased = false;
    close();
  }

  long openedNanos() {
    return openedNanos;
  }

  boolean isIdleSince(long nanos) {
    return idleSinceNanos - nanos < 0;
  }

  void close() {
    isClosing = true;
    channel.close();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    Served serving = passage;
    if (serving == null || isReleased || message instanceof ResponseDecoder.Surplus) {
      // No request is in progress, or its response is complete, so this is unsolicited.
      log.debug("Closing {}, because its upstream sent more than a response", channel);
      ReferenceCountUtil.release(message);
      close();
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
    if (head.decoderResult().isFailure() || !isHttp1(head)) {
      ReferenceCountUtil.release(head);
      serving.unreadable();
    } else if (head.status().code() == HttpResponseStatus.SWITCHING_PROTOCOLS.code()) {
      serving.switchProtocols(head);
    } else if (head.status().codeClass() == HttpStatusClass.INFORMATIONAL) {
      isInterim = !(head instanceof LastHttpContent);
      serving.interim(head);
    } else if (!ForwardedHeaders.isOnlyChunked(head.headers())) {
      // The gateway never sends TE, so it asked for no other encoding, and the client could not
      // undo it.
      ReferenceCountUtil.release(head);
      serving.unreadable();
    } else {
      serving.response(head);
    }
  }

  /** Returns true if version and status are those of HTTP/1.1, to which HTTP/2 is translated. */
  private static boolean isHttp1(HttpResponse head) {
    HttpVersion version = head.protocolVersion();
    int status = head.status().code();
    return version.protocolName().equals(HttpVersion.HTTP_1_1.protocolName())
        && version.majorVersion() == 1
        && status >= MIN_STATUS
        && status <= MAX_STATUS;
  }

  private void part(Served serving, HttpContent part) {
    if (isInterim) {
      isInterim = !(part instanceof LastHttpContent);
      part.release();
    } else {
      serving.responseContent(part);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    Served serving = passage;
    if (isReleased && serving != null) {
      isReleased = false;
      passage = null;
      releaseUnused();
      serving.released();
    } else if (serving != null) {
      serving.upstreamPaused();
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
    boolean wasReleased = isReleased;
    passage = null;
    isReleased = false;
    finish();
    if (isOpen) {
      owner.lost(this);
    }
    if (serving != null && wasReleased) {
      serving.released();
    } else if (serving != null) {
      serving.upstreamGone(!isReset && !hasResponseBegun());
    }
  }

  private boolean hasResponseBegun() {
    ResponseDecoder decoder = channel.pipeline().get(ResponseDecoder.class);
    return decoder != null && decoder.hasBegun();
  }

  /** Only one reason for a reset says that the request was not looked at (RFC 9113, 8.7). */
  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof Http2ResetFrame reset
        && reset.errorCode() != Http2Error.REFUSED_STREAM.code()) {
      isReset = true;
    }
    context.fireUserEventTriggered(event);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    // A stream fails by a response that is not valid.
    isReset = isReset || cause instanceof Http2Exception;
    log.debug("A connection to an upstream failed", cause);
    close();
  }
}
