package dev.weir.server.gateway;

import dev.weir.engine.routes.Upstream;
import dev.weir.server.metrics.GatewayMetrics;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The way of a request to its upstream, and of the answer back, piece by piece. */
final class Passage {
  private static final Logger log = LoggerFactory.getLogger(Passage.class);

  private final ClientConnection client;
  private final Exchange exchange;
  private final Incoming incoming;
  private final RequestBody body;
  private final Upstream target;
  private final GatewaySettings.Times times;

  private Stage stage = Stage.CONNECTING;
  private @Nullable UpstreamConnection upstream;
  private @Nullable Tunnel tunnel;
  private boolean isUpstreamReusable;
  private boolean isRetried;

  /** How far it has come. */
  private enum Stage {
    CONNECTING,
    /** The upstream has the request, or a part of it. */
    SENT,
    /** The head of the answer is on its way to the client. */
    ANSWERING,
    /** There are no requests any more, only bytes. */
    TUNNEL,
    OVER
  }

  Passage(
      ClientConnection client,
      Exchange exchange,
      Incoming incoming,
      RequestBody body,
      Upstream target) {
    this.client = client;
    this.exchange = exchange;
    this.incoming = incoming;
    this.body = body;
    this.target = target;
    this.times = client.loop().settings().times();
  }

  void begin() {
    connect(false);
  }

  private void connect(boolean isFresh) {
    stage = Stage.CONNECTING;
    client.patience(times.connect());
    client.loop().pool(target).open(this, isFresh);
  }

  /** Whether it still wants a way to its upstream. */
  boolean isConnecting() {
    return stage == Stage.CONNECTING;
  }

  /** Whether something of an answer is with the client already. */
  boolean isAnswering() {
    return stage == Stage.ANSWERING || stage == Stage.TUNNEL;
  }

  boolean isTunnel() {
    return stage == Stage.TUNNEL;
  }

  /** There is a way to the upstream. */
  void connected(UpstreamConnection connection) {
    if (stage != Stage.CONNECTING) {
      connection.release();
      return;
    }
    upstream = connection;
    stage = Stage.SENT;
    connection.serve(this);
    Wire wire = connection.wire();
    wire.write(incoming.head());
    body.sendHeld(wire);
    if (isRetried) {
      wire.write(LastHttpContent.EMPTY_LAST_CONTENT);
    }
    wire.flush();
    awaitAnswer();
    client.read(true);
  }

  private void awaitAnswer() {
    client.patience(body.isWhole() ? times.answer() : times.idle());
  }

  /** There is no way to the upstream. */
  void unreachable(Throwable cause) {
    if (stage != Stage.CONNECTING) {
      return;
    }
    log.debug("Request {} found no way to its upstream", incoming.requestId(), cause);
    stage = Stage.OVER;
    if (cause instanceof ConnectTimeoutException) {
      exchange.failed(GatewayMetrics.Failure.CONNECT_TIMEOUT, Refusals.NO_CONNECTION);
    } else {
      exchange.failed(GatewayMetrics.Failure.UNREACHABLE, Refusals.UNREACHABLE);
    }
  }

  /** A piece of the request's body. */
  void content(HttpContent piece) {
    UpstreamConnection to = upstream;
    if (stage == Stage.CONNECTING) {
      body.hold(piece);
      client.read(body.isWhole() || body.isAhead(piece));
    } else if (to == null || stage == Stage.TUNNEL) {
      piece.release();
    } else {
      if (body.isWhole()) {
        // What comes now is another request or a close, and a close should be seen.
        to.wire().write(piece);
        client.read(true);
      } else if (body.isAhead(piece)) {
        to.wire().write(piece);
      } else {
        to.wire().pass(piece, client.wire());
      }
      if (stage == Stage.SENT) {
        awaitAnswer();
      } else {
        client.patience(times.idle());
      }
    }
  }

  void bytesFromClient(ByteBuf bytes) {
    if (tunnel == null) {
      bytes.release();
    } else {
      tunnel.fromClient(bytes);
    }
  }

  /** All that has arrived is read. */
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

  /** The upstream's answer begins. */
  void answer(HttpResponse answer) {
    if (stage != Stage.SENT) {
      ReferenceCountUtil.release(answer);
      return;
    }
    stage = Stage.ANSWERING;
    isUpstreamReusable = HttpUtil.isKeepAlive(answer);
    exchange.adapt(answer);
    passBack(answer);
  }

  /** What the upstream says is no answer. */
  void unreadable() {
    abandon();
    exchange.failed(GatewayMetrics.Failure.INVALID, Refusals.UNREADABLE);
  }

  /** Such as 100 Continue: the answer is yet to come. */
  void interim(HttpResponse answer) {
    // The upstream has begun to answer.
    isRetried = true;
    awaitAnswer();
    if (incoming.isModern()) {
      client.wire().write(Outgoing.interim(answer));
    }
    ReferenceCountUtil.release(answer);
  }

  /** The upstream wants to speak another protocol. */
  void switchProtocols(HttpResponse answer) {
    UpstreamConnection to = upstream;
    if (to == null
        || !incoming.isUpgrade()
        || !answer.headers().contains(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET, true)) {
      ReferenceCountUtil.release(answer);
      unreadable();
      return;
    }
    stage = Stage.TUNNEL;
    tunnel = new Tunnel(client.wire(), to.wire(), () -> client.patience(times.idle()));
    client.wire().write(exchange.upgraded(answer));
    client.wire().flush();
    ReferenceCountUtil.release(answer);
    client.patience(times.idle());
    if (client.becomeTunnel()) {
      // What has come with the answer goes on at once.
      to.becomeTunnel();
    } else {
      exchange.cut();
    }
  }

  /** A piece of the answer's body. */
  void answerPart(HttpContent piece) {
    if (stage != Stage.ANSWERING) {
      piece.release();
    } else if (piece.decoderResult().isFailure()) {
      piece.release();
      exchange.brokenOff();
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
      answered(from);
    } else {
      client.patience(times.idle());
    }
  }

  private void answered(UpstreamConnection from) {
    client.wire().flush();
    upstream = null;
    stage = Stage.OVER;
    if (isUpstreamReusable && body.isWhole()) {
      from.release();
    } else {
      from.abandon();
    }
    exchange.said();
  }

  void bytesFromUpstream(ByteBuf bytes) {
    if (tunnel == null) {
      bytes.release();
    } else {
      tunnel.fromUpstream(bytes);
    }
  }

  /** All that the upstream has sent is read. */
  void upstreamPaused() {
    client.wire().flush();
  }

  void upstreamWritable() {
    client.read(true);
  }

  /** The way to the upstream is closed. */
  void upstreamGone() {
    upstream = null;
    switch (stage) {
      case SENT -> {
        if (mayRetry()) {
          isRetried = true;
          connect(true);
        } else {
          stage = Stage.OVER;
          exchange.failed(GatewayMetrics.Failure.BROKEN_OFF, Refusals.BROKEN_OFF);
        }
      }
      case ANSWERING -> exchange.brokenOff();
      case TUNNEL -> {
        abandon();
        exchange.tunnelEnded();
      }
      case CONNECTING, OVER -> {}
    }
  }

  /**
   * A connection that was kept open may have been closed by the upstream just when it was used:
   * what may be sent twice, and is still here, is.
   */
  private boolean mayRetry() {
    return !isRetried && body.isWhole() && incoming.isRepeatable();
  }

  /** Patience is at its end. */
  void timedOut() {
    switch (stage) {
      case CONNECTING -> {
        stage = Stage.OVER;
        exchange.failed(GatewayMetrics.Failure.CONNECT_TIMEOUT, Refusals.NO_CONNECTION);
      }
      case SENT -> {
        boolean isClientSlow = !body.isWhole() && upstream != null && upstream.wire().isWritable();
        abandon();
        if (isClientSlow) {
          exchange.refuseForGood(Refusals.SLOW_BODY);
        } else {
          exchange.failed(GatewayMetrics.Failure.ANSWER_TIMEOUT, Refusals.NO_ANSWER);
        }
      }
      case ANSWERING, TUNNEL -> exchange.cut();
      case OVER -> client.endlessPatience();
    }
  }

  /** Nobody wants the answer any more. */
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
