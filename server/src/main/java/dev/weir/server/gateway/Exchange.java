package dev.weir.server.gateway;

import dev.weir.http.connections.BodyDeadline;
import dev.weir.http.problems.Problem;
import dev.weir.server.metrics.GatewayMetrics;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import org.jspecify.annotations.Nullable;

/**
 * One request and its response: reads the request, evaluates the rules, forwards it if they allow
 * it, and relays the upstream's response or sends its own. Confined to the event loop of its
 * client.
 */
final class Exchange implements RuleEvaluation.Listener, UpstreamListener {
  private static final int CLIENT_GONE = 499;

  private final Client client;
  private final GatewayContext shared;
  private final long startNanos = System.nanoTime();
  private final RequestHead requestHead;
  private final RequestBody body;
  private final RuleEvaluation evaluation;
  private final ResponseHead responseHead;

  private Stage stage = Stage.DECIDING;
  private RequestHead.Reading.@Nullable Valid valid;
  private @Nullable UpstreamExchange upstreamExchange;

  /** Progress of the exchange. */
  private enum Stage {
    /** The rules are being evaluated, or the request waits in a queue. */
    DECIDING,
    /** The request is being sent to the upstream, or its response to the client. */
    FORWARDING,
    /** The response is complete, but the client is still sending. */
    RESPONDED,
    OVER
  }

  Exchange(Client client, HttpRequest request) {
    this.client = client;
    this.shared = client.loop().shared();
    requestHead = new RequestHead(request, client.forwardedHeaders());
    GatewaySettings settings = shared.settings();
    body =
        new RequestBody(
            requestHead.announcedBytes(),
            new BodyDeadline(
                settings.times().head(), settings.times().idle(), settings.bounds().minRate()));
    evaluation = new RuleEvaluation(client.loop(), requestHead.requestId(), this);
    responseHead = new ResponseHead(requestHead);
  }

  /** Reads the request head and starts to evaluate the rules. */
  void begin() {
    switch (requestHead.read(shared.engine().routes())) {
      case RequestHead.Reading.Invalid invalid -> {
        if (!invalid.isEndKnown()) {
          responseHead.beLast();
        }
        refuse(invalid.problem());
      }
      case RequestHead.Reading.Valid read -> {
        valid = read;
        evaluation.begin(read.request());
      }
    }
  }

  @Override
  public void refused(Problem problem) {
    refuse(problem);
  }

  @Override
  public void passed() {
    RequestHead.Reading.Valid read = valid;
    if (read == null) {
      throw new IllegalStateException("a request is read before it is sent");
    }
    stage = Stage.FORWARDING;
    UpstreamExchange next =
        new UpstreamExchange(client, this, requestHead, body, read.route().upstream());
    upstreamExchange = next;
    next.begin();
  }

  /** Returns true if more of the request body is expected. */
  boolean wantsContent() {
    return !body.isWhole();
  }

  /** Processes a piece of the request body. */
  void content(HttpContent piece) {
    if (piece.decoderResult().isFailure()) {
      piece.release();
      broken();
      return;
    }
    body.arrived(piece);
    UpstreamExchange through = upstreamExchange;
    if (stage == Stage.FORWARDING && through != null) {
      through.content(piece);
    } else if (stage == Stage.DECIDING) {
      body.hold(piece);
      client.read(body.isWhole() || body.isAhead(piece));
    } else if (stage == Stage.RESPONDED) {
      discard(piece);
    } else {
      piece.release();
    }
  }

  /** Returns true if the exchange holds something that is given back when the client leaves. */
  boolean holdsPlace() {
    return (stage == Stage.DECIDING || stage == Stage.FORWARDING) && evaluation.holds();
  }

  /** Returns true if the request has arrived, and its response has not been sent completely. */
  boolean isOnlyResponsePending() {
    return body.isWhole() && (upstreamExchange == null || !upstreamExchange.isTunnel());
  }

  /** Reads ahead a little from a client that is not being read while its request holds a place. */
  void lookAhead() {
    if (holdsPlace() && !body.isWhole() && body.lookAhead(shared.lookAhead())) {
      client.read(true);
    }
  }

  private void discard(HttpContent piece) {
    body.discard(piece);
    if (body.isWhole()) {
      over();
    } else if (body.isDiscardedEnough()) {
      responseHead.beLast();
      over();
    }
  }

  private void broken() {
    body.end();
    if (upstreamExchange != null && upstreamExchange.isResponding()) {
      cut();
    } else if (stage == Stage.RESPONDED) {
      responseHead.beLast();
      over();
    } else if (stage != Stage.OVER) {
      abandonUpstream();
      refuseForGood(Refusals.BROKEN_BODY);
    }
  }

  void bytesFromClient(ByteBuf bytes) {
    if (upstreamExchange == null) {
      bytes.release();
    } else {
      upstreamExchange.bytesFromClient(bytes);
    }
  }

  /** Called when everything that has arrived has been read. */
  void clientPaused() {
    if (upstreamExchange != null) {
      upstreamExchange.clientPaused();
    }
  }

  void clientWritable() {
    if (upstreamExchange != null) {
      upstreamExchange.clientWritable();
    }
  }

  @Override
  public void adapt(HttpResponse response) {
    // The rest of a long body may be more than the gateway is willing to read. A client that waits
    // for 100 Continue may never send its body, and its next request would be taken for that.
    if (shared.isDraining()
        || body.isLong()
        || (requestHead.expectsContinue() && !body.isBegun())) {
      responseHead.beLast();
    }
    responseHead.adapt(response, evaluation.verdict());
  }

  @Override
  public FullHttpResponse upgraded(HttpResponse response) {
    return responseHead.upgrade(response, evaluation.verdict());
  }

  @Override
  public void responded() {
    end();
    stage = Stage.RESPONDED;
    if (body.isWhole() || responseHead.isLast()) {
      over();
    } else {
      client.timeOutAfter(shared.settings().times().head());
      client.read(true);
    }
  }

  private void over() {
    stage = Stage.OVER;
    if (responseHead.isLast()) {
      client.closeAfterResponse();
    } else {
      client.exchangeOver();
    }
  }

  @Override
  public void tunnelEnded() {
    end();
    stage = Stage.OVER;
    client.closeAfterResponse();
  }

  @Override
  public void failed(GatewayMetrics.Failure failure, Problem problem) {
    shared.engine().metrics().failed(failure);
    refuse(problem);
  }

  @Override
  public void refuseForGood(Problem problem) {
    responseHead.beLast();
    refuse(problem);
  }

  /** Sends an error response in place of the upstream's. */
  private void refuse(Problem problem) {
    client.neverTimeOut();
    if (shared.isDraining()
        || body.isLong()
        || (requestHead.expectsContinue() && !body.isWhole())) {
      responseHead.beLast();
    }
    client.wire().write(responseHead.refusal(problem, evaluation.verdict()));
    client.wire().flush();
    responded();
  }

  @Override
  public void brokenOff() {
    shared.engine().metrics().failed(GatewayMetrics.Failure.BROKEN_OFF);
    cut();
  }

  @Override
  public void cut() {
    abandonUpstream();
    end();
    stage = Stage.OVER;
    client.cut();
  }

  /** Called when the current wait has timed out. */
  void timedOut() {
    if (stage == Stage.FORWARDING && upstreamExchange != null) {
      upstreamExchange.timedOut();
    } else if (stage == Stage.RESPONDED) {
      responseHead.beLast();
      over();
    } else {
      client.neverTimeOut();
    }
  }

  /** Called when the client has disconnected. */
  void clientGone() {
    if (stage == Stage.DECIDING || stage == Stage.FORWARDING) {
      if (upstreamExchange == null || !upstreamExchange.isTunnel()) {
        responseHead.status(CLIENT_GONE);
      }
      abandonUpstream();
      end();
    }
    stage = Stage.OVER;
  }

  private void abandonUpstream() {
    if (upstreamExchange != null) {
      upstreamExchange.abandon();
    }
  }

  /** Gives back what the request holds, and records metrics and the access log. */
  private void end() {
    body.releaseHeld();
    body.giveBack(shared.lookAhead());
    evaluation.close();
    long nanos = System.nanoTime() - startNanos;
    RequestHead.Reading.Valid read = valid;
    String label = read == null ? GatewayMetrics.NO_ROUTE : read.route().path().text();
    shared.engine().metrics().answered(label, responseHead.status(), nanos);
    if (read != null && AccessLog.isOn()) {
      AccessLog.write(
          read.request(),
          requestHead.requestId(),
          label,
          responseHead.status(),
          nanos,
          evaluation.verdict());
    }
  }
}
