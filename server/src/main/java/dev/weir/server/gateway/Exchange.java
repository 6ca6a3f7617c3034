package dev.weir.server.gateway;

import dev.weir.server.http.Problem;
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
final class Exchange implements RuleEvaluation.Hearer, UpstreamExchange.Listener {
  private static final int CLIENT_GONE = 499;

  private final Client client;
  private final GatewayContext shared;
  private final long startNanos = System.nanoTime();
  private final RequestHead incoming;
  private final RequestBody body;
  private final RuleEvaluation judgement;
  private final ResponseHead outgoing;

  private Stage stage = Stage.DECIDING;
  private RequestHead.Reading.@Nullable Fine known;
  private @Nullable UpstreamExchange passage;

  /** Progress of the exchange. */
  private enum Stage {
    /** The rules are being evaluated, or the request waits in a queue. */
    DECIDING,
    /** The request is being sent to the upstream, or its response to the client. */
    PASSING,
    /** The response is complete, but the client is still sending. */
    ANSWERED,
    OVER
  }

  Exchange(Client client, HttpRequest request) {
    this.client = client;
    this.shared = client.loop().shared();
    incoming = new RequestHead(request, client.hop());
    body = new RequestBody(incoming.announcedBytes());
    judgement = new RuleEvaluation(client.loop(), incoming.requestId(), this);
    outgoing = new ResponseHead(incoming);
  }

  /** Reads the request head and starts to evaluate the rules. */
  void begin() {
    switch (incoming.read(shared.engine().routes())) {
      case RequestHead.Reading.Wrong wrong -> {
        if (!wrong.isEndKnown()) {
          outgoing.beLast();
        }
        refuse(wrong.problem());
      }
      case RequestHead.Reading.Fine fine -> {
        known = fine;
        judgement.begin(fine.request());
      }
    }
  }

  @Override
  public void refused(Problem problem) {
    refuse(problem);
  }

  @Override
  public void passed() {
    RequestHead.Reading.Fine fine = known;
    if (fine == null) {
      throw new IllegalStateException("a request is read before it is sent");
    }
    stage = Stage.PASSING;
    UpstreamExchange next =
        new UpstreamExchange(client, this, incoming, body, fine.route().upstream());
    passage = next;
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
    UpstreamExchange through = passage;
    if (stage == Stage.PASSING && through != null) {
      through.content(piece);
    } else if (stage == Stage.DECIDING) {
      body.hold(piece);
      client.read(body.isWhole() || body.isAhead(piece));
    } else if (stage == Stage.ANSWERED) {
      discard(piece);
    } else {
      piece.release();
    }
  }

  /** Returns true if the exchange holds something that is given back when the client leaves. */
  boolean holdsPlace() {
    return (stage == Stage.DECIDING || stage == Stage.PASSING) && judgement.holds();
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
      outgoing.beLast();
      over();
    }
  }

  private void broken() {
    body.end();
    if (passage != null && passage.isAnswering()) {
      cut();
    } else if (stage == Stage.ANSWERED) {
      outgoing.beLast();
      over();
    } else if (stage != Stage.OVER) {
      abandonPassage();
      refuseForGood(Refusals.BROKEN_BODY);
    }
  }

  void bytesFromClient(ByteBuf bytes) {
    if (passage == null) {
      bytes.release();
    } else {
      passage.bytesFromClient(bytes);
    }
  }

  /** Called when everything that has arrived has been read. */
  void clientPaused() {
    if (passage != null) {
      passage.clientPaused();
    }
  }

  void clientWritable() {
    if (passage != null) {
      passage.clientWritable();
    }
  }

  @Override
  public void adapt(HttpResponse answer) {
    // The rest of a long body may be more than the gateway is willing to read.
    if (shared.isDraining() || body.isLong()) {
      outgoing.beLast();
    }
    outgoing.adapt(answer, judgement.verdict());
  }

  @Override
  public FullHttpResponse upgraded(HttpResponse answer) {
    return outgoing.upgrade(answer, judgement.verdict());
  }

  @Override
  public void said() {
    end();
    stage = Stage.ANSWERED;
    if (body.isWhole() || outgoing.isLast()) {
      over();
    } else {
      client.patience(shared.settings().times().head());
      client.read(true);
    }
  }

  private void over() {
    stage = Stage.OVER;
    if (outgoing.isLast()) {
      client.closeAfterAnswer();
    } else {
      client.exchangeOver();
    }
  }

  @Override
  public void tunnelEnded() {
    end();
    stage = Stage.OVER;
    client.closeAfterAnswer();
  }

  @Override
  public void failed(GatewayMetrics.Failure failure, Problem problem) {
    shared.engine().metrics().failed(failure);
    refuse(problem);
  }

  @Override
  public void refuseForGood(Problem problem) {
    outgoing.beLast();
    refuse(problem);
  }

  /** Sends an error response in place of the upstream's. */
  private void refuse(Problem problem) {
    client.endlessPatience();
    if (shared.isDraining() || body.isLong() || (incoming.expectsContinue() && !body.isWhole())) {
      outgoing.beLast();
    }
    client.wire().write(outgoing.refusal(problem, judgement.verdict()));
    client.wire().flush();
    said();
  }

  @Override
  public void brokenOff() {
    shared.engine().metrics().failed(GatewayMetrics.Failure.BROKEN_OFF);
    cut();
  }

  @Override
  public void cut() {
    abandonPassage();
    end();
    stage = Stage.OVER;
    client.cut();
  }

  /** Called when the current wait has timed out. */
  void timedOut() {
    if (stage == Stage.PASSING && passage != null) {
      passage.timedOut();
    } else if (stage == Stage.ANSWERED) {
      outgoing.beLast();
      over();
    } else {
      client.endlessPatience();
    }
  }

  /** Called when the client has disconnected. */
  void clientGone() {
    if (stage == Stage.DECIDING || stage == Stage.PASSING) {
      if (passage == null || !passage.isTunnel()) {
        outgoing.status(CLIENT_GONE);
      }
      abandonPassage();
      end();
    }
    stage = Stage.OVER;
  }

  private void abandonPassage() {
    if (passage != null) {
      passage.abandon();
    }
  }

  /** Gives back what the request holds, and records metrics and the access log. */
  private void end() {
    body.releaseHeld();
    body.giveBack(shared.lookAhead());
    judgement.close();
    long nanos = System.nanoTime() - startNanos;
    RequestHead.Reading.Fine fine = known;
    String label = fine == null ? GatewayMetrics.NO_ROUTE : fine.route().path().text();
    shared.engine().metrics().answered(label, outgoing.status(), nanos);
    if (fine != null && AccessLog.isOn()) {
      AccessLog.write(
          fine.request(),
          incoming.requestId(),
          label,
          outgoing.status(),
          nanos,
          judgement.verdict());
    }
  }
}
