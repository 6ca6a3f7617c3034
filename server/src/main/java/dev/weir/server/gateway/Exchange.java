package dev.weir.server.gateway;

import dev.weir.server.metrics.GatewayMetrics;
import dev.weir.server.rest.Problem;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import org.jspecify.annotations.Nullable;

/**
 * One request and its answer: read, decided by rules, sent on if they let it pass, and answered by
 * its upstream or in its place. All of it belongs to the event loop of its client.
 */
final class Exchange implements Judgement.Hearer {
  private static final int CLIENT_GONE = 499;

  private final ClientConnection client;
  private final Shared shared;
  private final long startNanos = System.nanoTime();
  private final Incoming incoming;
  private final RequestBody body;
  private final Judgement judgement;
  private final Outgoing outgoing;

  private Stage stage = Stage.DECIDING;
  private Incoming.Reading.@Nullable Fine known;
  private @Nullable Passage passage;

  /** How far it has come. */
  private enum Stage {
    /** The rules are asked, or let it wait. */
    DECIDING,
    /** It is on its way to the upstream, or the answer on its way back. */
    PASSING,
    /** All is said, but the client still sends. */
    ANSWERED,
    OVER
  }

  Exchange(ClientConnection client, HttpRequest request) {
    this.client = client;
    this.shared = client.loop().shared();
    incoming = new Incoming(request, client.hop());
    body = new RequestBody(incoming.announcedBytes());
    judgement = new Judgement(client.loop(), incoming.requestId(), this);
    outgoing = new Outgoing(incoming);
  }

  /** Reads the request, and has it decided. */
  void begin() {
    switch (incoming.read(shared.parts().routes())) {
      case Incoming.Reading.Wrong wrong -> {
        if (!wrong.isEndKnown()) {
          outgoing.beLast();
        }
        refuse(wrong.problem());
      }
      case Incoming.Reading.Fine fine -> {
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
    Incoming.Reading.Fine fine = known;
    if (fine == null) {
      throw new IllegalStateException("a request is read before it is sent");
    }
    stage = Stage.PASSING;
    Passage next = new Passage(client, this, incoming, body, fine.route().upstream());
    passage = next;
    next.begin();
  }

  /** Whether more of the request is to come. */
  boolean wantsContent() {
    return !body.isWhole();
  }

  /** A piece of the request's body. */
  void content(HttpContent piece) {
    if (piece.decoderResult().isFailure()) {
      piece.release();
      broken();
      return;
    }
    body.arrived(piece);
    Passage through = passage;
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

  /** Returns true if there is something to give back as soon as the client has left. */
  boolean holdsPlace() {
    return (stage == Stage.DECIDING || stage == Stage.PASSING) && judgement.holds();
  }

  /** Has a client that is not read from, and holds a place, read on a little. */
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

  /** All that has arrived is read. */
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

  /** Makes an upstream's answer one for the client. */
  void adapt(HttpResponse answer) {
    // The rest of a long body may be more than will be read.
    if (shared.isDraining() || body.isLong()) {
      outgoing.beLast();
    }
    outgoing.adapt(answer, judgement.verdict());
  }

  /** What the client is told of an agreement on another protocol. */
  FullHttpResponse upgraded(HttpResponse answer) {
    return outgoing.upgrade(answer, judgement.verdict());
  }

  /** Nothing more is said to the client. */
  void said() {
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

  /** One of the two who spoke another protocol has closed. */
  void tunnelEnded() {
    end();
    stage = Stage.OVER;
    client.closeAfterAnswer();
  }

  /** The upstream gave no answer. */
  void failed(GatewayMetrics.Failure failure, Problem problem) {
    shared.parts().metrics().failed(failure);
    refuse(problem);
  }

  /** Answers in place of the upstream, and lets the client ask no more. */
  void refuseForGood(Problem problem) {
    outgoing.beLast();
    refuse(problem);
  }

  /** Answers in place of the upstream. */
  private void refuse(Problem problem) {
    client.endlessPatience();
    if (shared.isDraining() || body.isLong() || (incoming.expectsContinue() && !body.isWhole())) {
      outgoing.beLast();
    }
    client.wire().write(outgoing.refusal(problem, judgement.verdict()));
    client.wire().flush();
    said();
  }

  /** The upstream has left in the middle of its answer. */
  void brokenOff() {
    shared.parts().metrics().failed(GatewayMetrics.Failure.BROKEN_OFF);
    cut();
  }

  /** What was sent is not the whole of it, and must not look so. */
  void cut() {
    abandonPassage();
    end();
    stage = Stage.OVER;
    client.cut();
  }

  /** Patience is at its end. */
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

  /** The client has left. */
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

  /** Gives back what it holds, and is counted. */
  private void end() {
    body.releaseHeld();
    body.giveBack(shared.lookAhead());
    judgement.close();
    long nanos = System.nanoTime() - startNanos;
    Incoming.Reading.Fine fine = known;
    String label = fine == null ? GatewayMetrics.NO_ROUTE : fine.route().path().text();
    shared.parts().metrics().answered(label, outgoing.status(), nanos);
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
