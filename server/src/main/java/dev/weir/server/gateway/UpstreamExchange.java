package dev.weir.server.gateway;

import dev.weir.routes.internal.Upstream;
import dev.weir.server.metrics.GatewayMetrics;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import io.netty.util.ReferenceCountUtil;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Relays one request to its upstream and the response back, piece by piece. */
final class UpstreamExchange implements UpstreamPool.Waiting, UpstreamConnection.Served {
  private static final Logger log = LoggerFactory.getLogger(UpstreamExchange.class);

  private final Client client;
  private final UpstreamListener listener;
  private final RequestHead requestHead;
  private final RequestBody body;
  private final Upstream target;
  private final GatewaySettings.Times times;

  private Stage stage = Stage.BEGINNING;
  private @Nullable UpstreamConnection upstream;
  private @Nullable Tunnel tunnel;
  private boolean isUpstreamReusable;
  private boolean isRetried;

  /** Progress of the exchange. */
  private enum Stage {
    /** No byte of the body has arrived; nothing is asked of the upstream. */
    BEGINNING,
    CONNECTING,
    /** The request, or a part of it, has been sent to the upstream. */
    SENT,
    /** The head of the response is being sent to the client. */
    RESPONDING,
    /** The connection carries raw bytes, no longer HTTP. */
    TUNNEL,
    /** The response is complete, and the connection is on its way back to its pool. */
    RESPONDED,
    OVER
  }

  UpstreamExchange(
      Client client,
      UpstreamListener listener,
      RequestHead requestHead,
      RequestBody body,
      Upstream target) {
    this.client = client;
    this.listener = listener;
    this.requestHead = requestHead;
    this.body = body;
    this.target = target;
    this.times = client.loop().settings().times();
  }

  /**
   * Asks for a connection to the upstream, as soon as there is something to send: clients that send
   * nothing would otherwise take all connections from those that do. A client that expects 100
   * Continue waits for the upstream's word, and sends nothing before.
   */
  void begin() {
    body.deadline().begin(System.nanoTime());
    if (body.isBegun() || requestHead.expectsContinue()) {
      connect(false);
    } else {
      stage = Stage.BEGINNING;
      client.timeOutAt(body.deadline().nanos());
      client.read(true);
    }
  }

  private void connect(boolean isFresh) {
    stage = Stage.CONNECTING;
    client.timeOutAfter(times.connect());
    client.loop().pool(target).open(this, isFresh);
    if (stage == Stage.CONNECTING && body.mayCollect()) {
      client.read(true);
    }
  }

  @Override
  public boolean isConnecting() {
    return stage == Stage.CONNECTING;
  }

  @Override
  public boolean isWhole() {
    return body.isWhole();
  }

  /** Returns true if part of a response has already been sent to the client. */
  boolean isResponding() {
    return stage == Stage.RESPONDING || stage == Stage.TUNNEL;
  }

  boolean isTunnel() {
    return stage == Stage.TUNNEL;
  }

  @Override
  public void connected(UpstreamConnection connection) {
    if (stage != Stage.CONNECTING) {
      connection.releaseUnused();
      return;
    }
    upstream = connection;
    stage = Stage.SENT;
    connection.serve(this);
    FlowControlledChannel wire = connection.wire();
    wire.write(requestHead.head());
    body.sendHeld(wire);
    if (isRetried) {
      wire.write(LastHttpContent.EMPTY_LAST_CONTENT);
    }
    wire.flush();
    if (body.isWhole()) {
      connection.finish();
    }
    client.read(true);
    body.deadline().begin(System.nanoTime());
    awaitResponse();
  }

  private void awaitResponse() {
    if (body.isWhole()) {
      client.timeOutAfter(times.response());
    } else if (client.wire().isRead()) {
      client.timeOutAt(body.deadline().nanos());
    } else {
      // It is the upstream's turn to read.
      client.timeOutAfter(times.idle());
    }
  }

  @Override
  public void unreachable(Throwable cause) {
    if (stage != Stage.CONNECTING) {
      return;
    }
    log.debug("Request {} could not be forwarded to its upstream", requestHead.requestId(), cause);
    stage = Stage.OVER;
    if (cause instanceof ConnectTimeoutException || cause instanceof SslHandshakeTimeoutException) {
      listener.failed(GatewayMetrics.Failure.CONNECT_TIMEOUT, Refusals.NO_CONNECTION);
    } else if (cause instanceof SSLException) {
      listener.failed(GatewayMetrics.Failure.UNREACHABLE, Refusals.NO_TLS);
    } else {
      listener.failed(GatewayMetrics.Failure.UNREACHABLE, Refusals.UNREACHABLE);
    }
  }

  /** Forwards a piece of the request body. */
  void content(HttpContent piece) {
    UpstreamConnection to = upstream;
    if (stage == Stage.BEGINNING) {
      body.hold(piece);
      if (body.isBegun()) {
        connect(false);
      }
    } else if (stage == Stage.CONNECTING) {
      waitWith(piece);
    } else if (to == null || stage == Stage.TUNNEL) {
      piece.release();
    } else {
      if (body.isWhole()) {
        // The next data is another request or a close, and a close must be detected.
        to.wire().write(piece);
        to.finish();
        client.read(true);
      } else if (body.isAhead(piece)) {
        to.wire().write(piece);
      } else {
        to.wire().pass(piece, client.wire());
      }
      if (stage == Stage.SENT) {
        awaitResponse();
      } else {
        client.timeOutAfter(times.idle());
      }
    }
  }

  private void waitWith(HttpContent piece) {
    boolean isAhead = body.isAhead(piece);
    body.hold(piece);
    client.read(body.isWhole() || isAhead || body.mayCollect());
    if (body.isWhole()) {
      client.loop().pool(target).arrived(this);
    }
  }

  void bytesFromClient(ByteBuf bytes) {
    if (tunnel == null) {
      bytes.release();
    } else {
      tunnel.fromClient(bytes);
    }
  }

  /** Called when everything that has arrived from the client has been read. */
  void clientPaused() {
    if (upstream != null) {
      upstream.wire().flush();
    }
  }

  void clientWritable() {
    if (upstream != null) {
      upstream.wire().read(true);
    }
  }

  @Override
  public void response(HttpResponse response) {
    if (stage != Stage.SENT) {
      ReferenceCountUtil.release(response);
      return;
    }
    stage = Stage.RESPONDING;
    isUpstreamReusable = HttpUtil.isKeepAlive(response);
    listener.adapt(response);
    passBack(response);
  }

  @Override
  public void unreadable() {
    abandon();
    listener.failed(GatewayMetrics.Failure.INVALID, Refusals.UNREADABLE);
  }

  @Override
  public void interim(HttpResponse response) {
    // The upstream has begun to respond, so the request must not be retried.
    isRetried = true;
    awaitResponse();
    UpstreamConnection from = upstream;
    if (requestHead.isModern() && from != null) {
      client.wire().pass(ResponseHead.interim(response), from.wire());
    }
    ReferenceCountUtil.release(response);
  }

  @Override
  public void switchProtocols(HttpResponse response) {
    UpstreamConnection to = upstream;
    if (to == null
        || !requestHead.isUpgrade()
        || !response
            .headers()
            .contains(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET, true)) {
      ReferenceCountUtil.release(response);
      unreadable();
      return;
    }
    if (client.isAhead()) {
      // The decoder may have skipped some of these bytes, so they cannot be forwarded, and a client
      // has to wait for the response (RFC 6455, 4.1).
      ReferenceCountUtil.release(response);
      abandon();
      listener.refuseForGood(Refusals.EARLY_BYTES);
      return;
    }
    stage = Stage.TUNNEL;
    tunnel = new Tunnel(client.wire(), to.wire(), () -> client.timeOutAfter(times.idle()));
    client.wire().write(listener.upgraded(response));
    client.wire().flush();
    ReferenceCountUtil.release(response);
    client.timeOutAfter(times.idle());
    client.becomeTunnel();
    // Forwards the bytes that arrived together with the response.
    to.becomeTunnel();
  }

  @Override
  public void responseContent(HttpContent piece) {
    if (stage != Stage.RESPONDING) {
      piece.release();
    } else if (piece.decoderResult().isFailure()) {
      piece.release();
      listener.brokenOff();
    } else {
      passBack(piece);
    }
  }

  private void passBack(Object piece) {
    UpstreamConnection from = upstream;
    if (from == null) {
      ReferenceCountUtil.release(piece);
      return;
    }
    boolean isAll = piece instanceof LastHttpContent;
    client.wire().pass(piece, from.wire());
    if (isAll) {
      responded(from);
    } else {
      client.timeOutAfter(times.idle());
    }
  }

  private void responded(UpstreamConnection from) {
    client.wire().flush();
    upstream = null;
    stage = Stage.RESPONDED;
    if (isUpstreamReusable && body.isWhole()) {
      // The client's next request may take the connection, so it has to wait for it.
      from.release();
    } else {
      from.abandon();
      released();
    }
  }

  @Override
  public void released() {
    if (stage == Stage.RESPONDED) {
      stage = Stage.OVER;
      listener.responded();
    }
  }

  @Override
  public void bytesFromUpstream(ByteBuf bytes) {
    if (tunnel == null) {
      bytes.release();
    } else {
      tunnel.fromUpstream(bytes);
    }
  }

  @Override
  public void upstreamPaused() {
    client.wire().flush();
  }

  @Override
  public void upstreamWritable() {
    boolean wasPaused = !client.wire().isRead();
    client.read(true);
    if (wasPaused && stage == Stage.SENT && !body.isWhole()) {
      body.deadline().begin(System.nanoTime());
      awaitResponse();
    }
  }

  @Override
  public void upstreamGone(boolean isUntouched) {
    upstream = null;
    switch (stage) {
      case SENT -> {
        if (isUntouched && mayRetry()) {
          isRetried = true;
          connect(true);
        } else {
          stage = Stage.OVER;
          listener.failed(GatewayMetrics.Failure.BROKEN_OFF, Refusals.BROKEN_OFF);
        }
      }
      case RESPONDING -> listener.brokenOff();
      case TUNNEL -> {
        abandon();
        listener.tunnelEnded();
      }
      case BEGINNING, CONNECTING, RESPONDED, OVER -> {}
    }
  }

  /**
   * Returns true if a request of which the upstream has shown no sign may be sent again. The
   * upstream may close a kept-alive connection just when it is used, so a repeatable request that
   * is still complete here is retried once.
   */
  private boolean mayRetry() {
    return !isRetried && body.isWhole() && requestHead.isRepeatable();
  }

  /** Called when the current wait has timed out. */
  void timedOut() {
    switch (stage) {
      case BEGINNING -> {
        stage = Stage.OVER;
        listener.refuseForGood(Refusals.SLOW_BODY);
      }
      case CONNECTING -> {
        stage = Stage.OVER;
        listener.failed(GatewayMetrics.Failure.CONNECT_TIMEOUT, Refusals.NO_CONNECTION);
      }
      case SENT -> {
        if (!body.isWhole() && !client.wire().isRead() && isTaking(upstream)) {
          awaitResponse();
          return;
        }
        boolean isClientSlow = !body.isWhole() && upstream != null && upstream.wire().isWritable();
        abandon();
        if (isClientSlow) {
          listener.refuseForGood(Refusals.SLOW_BODY);
        } else {
          listener.failed(GatewayMetrics.Failure.ANSWER_TIMEOUT, Refusals.NO_RESPONSE);
        }
      }
      case RESPONDING, TUNNEL -> {
        if (client.wire().isTaking(times.idle()) || isTaking(upstream)) {
          client.timeOutAfter(times.idle());
        } else {
          listener.cut();
        }
      }
      case RESPONDED, OVER -> client.neverTimeOut();
    }
  }

  private boolean isTaking(@Nullable UpstreamConnection to) {
    return to != null && to.wire().isTaking(times.idle());
  }

  /** Closes the upstream connection and discards the response. */
  void abandon() {
    UpstreamConnection to = upstream;
    upstream = null;
    tunnel = null;
    stage = Stage.OVER;
    if (to != null) {
      to.abandon();
    }
  }
}
