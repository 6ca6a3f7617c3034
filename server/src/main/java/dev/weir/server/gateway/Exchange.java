package dev.weir.server.gateway;

import dev.weir.engine.StoreException;
import dev.weir.engine.routes.Route;
import dev.weir.engine.rules.AmbiguousPathException;
import dev.weir.engine.rules.RateLimitFields;
import dev.weir.engine.rules.Ticket;
import dev.weir.engine.rules.Verdict;
import dev.weir.server.metrics.GatewayMetrics;
import dev.weir.server.rest.Problem;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.util.ArrayDeque;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request and its answer: read, decided by rules, perhaps kept waiting, sent on, and answered
 * piece by piece. All of it happens on the event loop of its client, except for decisions that have
 * to ask a store.
 */
final class Exchange {
  private static final Logger log = LoggerFactory.getLogger(Exchange.class);

  /** What may be sent twice (RFC 9110, 9.2.2). */
  private static final Set<HttpMethod> IDEMPOTENT =
      Set.of(
          HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS, HttpMethod.PUT, HttpMethod.DELETE);

  /** So much of a body is read that nobody wants, so that the connection can be used again. */
  private static final int MOST_UNWANTED_BYTES = 1 << 20;

  private static final int CLIENT_GONE = 499;

  private final ClientConnection client;
  private final Shared shared;
  private final HttpRequest request;
  private final long startNanos = System.nanoTime();
  private final boolean isModern;
  private final boolean isBodiless;
  private final boolean isUpgrade;
  private final boolean expectsContinue;
  private final String requestId;

  /** What came of the body before there was anybody to take it. */
  private final ArrayDeque<HttpContent> held = new ArrayDeque<>(0);

  private Stage stage = Stage.DECIDING;
  private boolean isLastOfClient;
  private boolean isWhole;
  private String label = GatewayMetrics.NO_ROUTE;
  private @Nullable Seen seen;
  private @Nullable Verdict verdict;
  private Ticket ticket = Ticket.NONE;
  private @Nullable Future<?> wait;
  private @Nullable UpstreamConnection upstream;
  private boolean isUpstreamReusable;
  private boolean isRetried;
  private boolean isInterim;
  private int status;
  private long unwantedBytes;

  /** What is known of a request once it is read. */
  private record Seen(GatewayRequest request, Route.Terms route) {}

  /** How far it has come. */
  private enum Stage {
    DECIDING,
    WAITING,
    CONNECTING,
    /** The upstream has it, or a part of it. */
    SENT,
    /** The head of the answer is on its way to the client. */
    ANSWERING,
    /** There are no requests any more, only bytes. */
    TUNNEL,
    /** All is said, but the client still sends. */
    ANSWERED,
    OVER
  }

  Exchange(ClientConnection client, HttpRequest request) {
    this.client = client;
    this.shared = client.loop().shared();
    this.request = request;
    HttpHeaders headers = request.headers();
    isModern = request.protocolVersion().equals(HttpVersion.HTTP_1_1);
    isLastOfClient = !HttpUtil.isKeepAlive(request);
    isBodiless =
        !headers.contains(HttpHeaderNames.TRANSFER_ENCODING)
            && HttpUtil.getContentLength(request, 0L) == 0;
    // Others, such as h2c, would take everything that follows past the rules.
    isUpgrade =
        isModern
            && isBodiless
            && request.method().equals(HttpMethod.GET)
            && headers.containsValue(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE, true)
            && headers.contains(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET, true);
    expectsContinue = headers.contains(HttpHeaderNames.EXPECT);
    requestId = client.hop().requestId(headers);
  }

  /** Reads the request, and has it decided. */
  void begin() {
    Problem problem = read();
    Seen known = seen;
    if (problem != null || known == null) {
      refuse(problem == null ? Refusals.NO_ROUTE : problem);
    } else if (shared.parts().isBlocking()) {
      shared.await(() -> decideElsewhere(known.request()));
    } else {
      Decided decided = decide(known.request());
      decided(decided);
    }
  }

  /** What is wrong with the request, or null if it is fine. */
  private @Nullable Problem read() {
    HttpMethod method = request.method();
    if (request.protocolVersion().majorVersion() != 1) {
      return Problem.of(505, "version-not-supported", "Only HTTP/1.1 and 1.0 are spoken here.");
    }
    if (method.equals(HttpMethod.CONNECT) || method.equals(HttpMethod.TRACE)) {
      return Problem.of(405, "method-not-allowed", "The method " + method + " is not passed on.");
    }
    Target target;
    try {
      target = Target.of(request.uri());
    } catch (AmbiguousPathException e) {
      return Problem.of(400, "ambiguous-path", "Refused, because " + e.getMessage() + ".");
    }
    HttpHeaders headers = request.headers();
    String encoding = headers.get(HttpHeaderNames.TRANSFER_ENCODING);
    if (encoding != null
        && (!isModern
            || headers.getAll(HttpHeaderNames.TRANSFER_ENCODING).size() > 1
            || !encoding.strip().equalsIgnoreCase("chunked"))) {
      return Problem.of(400, "bad-request", "The only transfer encoding is chunked.");
    }
    if (!hasHost(target)) {
      return Problem.of(400, "bad-request", "There must be one host, and it must be one.");
    }
    Route.Terms route = shared.parts().routes().find(target.path());
    if (route == null) {
      return Refusals.NO_ROUTE;
    }
    label = route.path().text();
    if (!headers.contains(HttpHeaderNames.HOST)) {
      headers.set(HttpHeaderNames.HOST, route.upstream().authority());
    }
    String address = client.hop().client(headers);
    Hop.removeHopByHop(headers);
    if (isUpgrade && !route.upstream().protocol().isMultiplexed()) {
      headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE);
      headers.set(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET);
    }
    client.hop().describe(request, requestId);
    request.setUri(target.sent()).setProtocolVersion(HttpVersion.HTTP_1_1);
    seen = new Seen(new GatewayRequest(method.name(), target.path(), address, headers), route);
    return null;
  }

  /** The host of a target that is a whole address counts (RFC 9112, 3.2.2). */
  private boolean hasHost(Target target) {
    HttpHeaders headers = request.headers();
    int hosts = headers.getAll(HttpHeaderNames.HOST).size();
    if (hosts > 1 || (hosts == 0 && isModern)) {
      return false;
    }
    if (!target.authority().isEmpty()) {
      headers.set(HttpHeaderNames.HOST, target.authority());
    }
    String host = headers.get(HttpHeaderNames.HOST);
    return host == null || Target.isHost(host);
  }

  /** What the rules said, or why they could not be asked. */
  private sealed interface Decided {
    record Said(Verdict verdict) implements Decided {}

    record Failed(Problem problem) implements Decided {}
  }

  private Decided decide(GatewayRequest asked) {
    try {
      return new Decided.Said(shared.parts().desk().decide(asked));
    } catch (GatewayRequest.RepeatedHeaderException e) {
      return new Decided.Failed(Problem.of(400, "repeated-header", String.valueOf(e.getMessage())));
    } catch (StoreException e) {
      log.error("Request {} could not be decided: {}", requestId, e.getMessage());
      return new Decided.Failed(
          Problem.of(503, "store-unavailable", "The rules cannot be asked now; try again soon."));
    } catch (RuntimeException e) {
      log.error("Request {} could not be decided", requestId, e);
      return new Decided.Failed(
          Problem.of(
              500, "unexpected", "Something went wrong; the log knows more of " + requestId + "."));
    }
  }

  private void decideElsewhere(GatewayRequest asked) {
    Decided decided = decide(asked);
    client.loop().eventLoop().execute(() -> decided(decided));
  }

  private void decided(Decided decided) {
    switch (decided) {
      case Decided.Failed failed -> {
        if (stage == Stage.DECIDING) {
          refuse(failed.problem());
        }
      }
      case Decided.Said said -> judged(said.verdict());
    }
  }

  private void judged(Verdict said) {
    verdict = said;
    switch (said) {
      case Verdict.Passed passed -> {
        ticket = passed.ticket();
        if (stage == Stage.OVER) {
          giveBack();
        } else {
          send(false);
        }
      }
      case Verdict.Queued queued -> {
        ticket = queued.ticket();
        if (stage == Stage.OVER) {
          giveBack();
          return;
        }
        stage = Stage.WAITING;
        wait =
            client
                .loop()
                .eventLoop()
                .schedule(this::waited, queued.delayMicros(), TimeUnit.MICROSECONDS);
      }
      case Verdict.Refused refused -> {
        if (stage != Stage.OVER) {
          refuse(Problem.quotaExceeded(refused));
        }
      }
    }
  }

  private void waited() {
    if (stage == Stage.WAITING) {
      ticket.waited();
      send(false);
    }
  }

  private void send(boolean isFresh) {
    Seen known = seen;
    if (known == null) {
      throw new IllegalStateException("a request is read before it is sent");
    }
    stage = Stage.CONNECTING;
    client.patience(shared.settings().times().connect());
    client.loop().pool(known.route().upstream()).open(this, isFresh);
  }

  /** Whether it still wants a way to its upstream. */
  boolean isConnecting() {
    return stage == Stage.CONNECTING;
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
    connection.write(request);
    while (!held.isEmpty()) {
      connection.write(held.removeFirst());
    }
    if (isRetried) {
      connection.write(LastHttpContent.EMPTY_LAST_CONTENT);
    }
    connection.flush();
    awaitAnswer();
    client.read(true);
  }

  private void awaitAnswer() {
    client.patience(
        isWhole ? shared.settings().times().answer() : shared.settings().times().idle());
  }

  /** There is no way to the upstream. */
  void unreachable(Throwable cause) {
    if (stage != Stage.CONNECTING) {
      return;
    }
    log.debug("Request {} found no way to its upstream", requestId, cause);
    boolean isLate = cause instanceof ConnectTimeoutException;
    fail(
        isLate ? GatewayMetrics.Failure.CONNECT_TIMEOUT : GatewayMetrics.Failure.UNREACHABLE,
        isLate ? Refusals.NO_CONNECTION : Refusals.UNREACHABLE);
  }

  /** Whether more of the request is to come. */
  boolean wantsContent() {
    return !isWhole;
  }

  /** A piece of the request's body. */
  void content(HttpContent piece) {
    if (piece.decoderResult().isFailure()) {
      piece.release();
      broken();
      return;
    }
    if (piece instanceof LastHttpContent last) {
      isWhole = true;
      // Where upstreams would mix them with the header, they could say what the header may not.
      if (!last.trailingHeaders().isEmpty()) {
        last.trailingHeaders().clear();
      }
    }
    switch (stage) {
      case DECIDING, WAITING, CONNECTING -> {
        held.addLast(piece);
        client.read(isWhole);
      }
      case SENT, ANSWERING -> pass(piece);
      case ANSWERED -> discard(piece);
      case TUNNEL, OVER -> piece.release();
    }
  }

  private void pass(HttpContent piece) {
    UpstreamConnection to = upstream;
    if (to == null) {
      piece.release();
      return;
    }
    to.write(piece);
    if (!to.isWritable()) {
      to.flush();
      client.read(to.isWritable());
    }
    if (stage == Stage.SENT) {
      awaitAnswer();
    } else {
      client.patience(shared.settings().times().idle());
    }
  }

  /** All that has arrived is read. */
  void clientPaused() {
    if (upstream != null) {
      upstream.flush();
    }
  }

  void upstreamWritable() {
    client.read(true);
  }

  private void broken() {
    isWhole = true;
    isLastOfClient = true;
    switch (stage) {
      case DECIDING, WAITING, CONNECTING, SENT -> {
        abandonUpstream();
        refuse(Refusals.BROKEN_BODY);
      }
      case ANSWERING -> cut();
      case ANSWERED -> over();
      case TUNNEL, OVER -> {}
    }
  }

  private void discard(HttpContent piece) {
    unwantedBytes += piece.content().readableBytes();
    piece.release();
    if (isWhole) {
      over();
    } else if (unwantedBytes > MOST_UNWANTED_BYTES) {
      isLastOfClient = true;
      over();
    }
  }

  /** The upstream's answer begins. */
  void answerHead(HttpResponse answer) {
    if (stage != Stage.SENT) {
      ReferenceCountUtil.release(answer);
      return;
    }
    if (answer.decoderResult().isFailure()) {
      ReferenceCountUtil.release(answer);
      abandonUpstream();
      fail(GatewayMetrics.Failure.INVALID, Refusals.UNREADABLE);
    } else if (answer.status().code() == HttpResponseStatus.SWITCHING_PROTOCOLS.code()) {
      switchProtocols(answer);
    } else if (answer.status().codeClass() == HttpStatusClass.INFORMATIONAL) {
      interim(answer);
    } else {
      answer(answer);
    }
  }

  /** Such as 100 Continue: the answer is yet to come. */
  private void interim(HttpResponse answer) {
    isInterim = !(answer instanceof LastHttpContent);
    // The upstream has begun to answer.
    isRetried = true;
    awaitAnswer();
    if (isModern) {
      Hop.removeHopByHop(answer.headers());
      FullHttpResponse bare = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, answer.status());
      bare.headers().set(answer.headers());
      bare.headers().remove(HttpHeaderNames.TRANSFER_ENCODING);
      client.write(bare);
    }
    ReferenceCountUtil.release(answer);
  }

  private void answer(HttpResponse answer) {
    isInterim = false;
    stage = Stage.ANSWERING;
    status = answer.status().code();
    isUpstreamReusable = HttpUtil.isKeepAlive(answer);
    HttpHeaders headers = answer.headers();
    boolean isChunked = HttpUtil.isTransferEncodingChunked(answer);
    Hop.removeHopByHop(headers);
    answer.setProtocolVersion(HttpVersion.HTTP_1_1);
    if (isChunked || (hasBody() && !headers.contains(HttpHeaderNames.CONTENT_LENGTH))) {
      frame(headers);
    }
    describe(headers);
    isLastOfClient |= shared.isDraining();
    persist(headers);
    boolean isAll = answer instanceof LastHttpContent;
    client.write(answer);
    slowUpstream();
    if (isAll) {
      answered();
    } else {
      client.patience(shared.settings().times().idle());
    }
  }

  private boolean hasBody() {
    return !request.method().equals(HttpMethod.HEAD)
        && status != HttpResponseStatus.NO_CONTENT.code()
        && status != HttpResponseStatus.NOT_MODIFIED.code();
  }

  /** A body whose length is not known ends with its chunks, or for old clients with all. */
  private void frame(HttpHeaders headers) {
    headers.remove(HttpHeaderNames.CONTENT_LENGTH);
    if (isModern) {
      headers.set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    } else {
      headers.remove(HttpHeaderNames.TRANSFER_ENCODING);
      isLastOfClient = true;
    }
  }

  private void describe(HttpHeaders headers) {
    headers.set(Hop.REQUEST_ID, requestId);
    headers.add(HttpHeaderNames.VIA, Hop.VIA);
    if (verdict != null) {
      RateLimitFields.add(headers::set, verdict);
    }
  }

  private void persist(HttpHeaders headers) {
    if (isLastOfClient) {
      headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    } else if (!isModern) {
      headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
    }
  }

  /** A piece of the answer's body. */
  void answerPart(HttpContent piece) {
    if (isInterim && piece instanceof LastHttpContent) {
      isInterim = false;
      piece.release();
    } else if (stage != Stage.ANSWERING) {
      piece.release();
    } else if (piece.decoderResult().isFailure()) {
      piece.release();
      shared.parts().metrics().failed(GatewayMetrics.Failure.BROKEN_OFF);
      cut();
    } else {
      boolean isAll = piece instanceof LastHttpContent;
      client.write(piece);
      slowUpstream();
      if (isAll) {
        answered();
      } else {
        client.patience(shared.settings().times().idle());
      }
    }
  }

  /** An upstream that sends faster than its client takes is not read meanwhile. */
  private void slowUpstream() {
    if (!client.isWritable()) {
      client.flush();
      if (upstream != null) {
        upstream.read(client.isWritable());
      }
    }
  }

  void clientWritable() {
    if (upstream != null) {
      upstream.read(true);
    }
  }

  /** All that the upstream has sent is read. */
  void upstreamPaused() {
    client.flush();
  }

  private void answered() {
    client.flush();
    UpstreamConnection from = upstream;
    upstream = null;
    if (from != null && isUpstreamReusable && isWhole) {
      from.release();
    } else if (from != null) {
      from.abandon();
    }
    said();
  }

  /** Nothing more is said to the client. */
  private void said() {
    releaseHeld();
    giveBack();
    record();
    stage = Stage.ANSWERED;
    if (isWhole || isLastOfClient) {
      over();
    } else {
      client.patience(shared.settings().times().head());
      client.read(true);
    }
  }

  private void over() {
    stage = Stage.OVER;
    if (isLastOfClient) {
      client.closeAfterAnswer();
    } else {
      client.exchangeOver();
    }
  }

  private void switchProtocols(HttpResponse answer) {
    boolean isAskedFor =
        isUpgrade
            && answer.headers().contains(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET, true);
    UpstreamConnection to = upstream;
    if (!isAskedFor || to == null) {
      ReferenceCountUtil.release(answer);
      abandonUpstream();
      fail(GatewayMetrics.Failure.INVALID, Refusals.UNREADABLE);
      return;
    }
    stage = Stage.TUNNEL;
    status = answer.status().code();
    HttpHeaders headers = answer.headers();
    Hop.removeHopByHop(headers);
    headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE);
    headers.set(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET);
    describe(headers);
    FullHttpResponse bare = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, answer.status());
    bare.headers().set(headers);
    ReferenceCountUtil.release(answer);
    client.write(bare);
    client.flush();
    client.patience(shared.settings().times().idle());
    if (client.becomeTunnel()) {
      // What has come with the answer goes on at once.
      to.becomeTunnel();
    } else {
      cut();
    }
  }

  void bytesFromClient(ByteBuf bytes) {
    UpstreamConnection to = upstream;
    if (stage != Stage.TUNNEL || to == null) {
      bytes.release();
      return;
    }
    client.patience(shared.settings().times().idle());
    to.write(bytes);
    if (!to.isWritable()) {
      to.flush();
      client.read(to.isWritable());
    }
  }

  void bytesFromUpstream(ByteBuf bytes) {
    if (stage != Stage.TUNNEL) {
      bytes.release();
      return;
    }
    client.patience(shared.settings().times().idle());
    client.write(bytes);
    slowUpstream();
  }

  /** The way to the upstream is closed. */
  void upstreamGone() {
    upstream = null;
    switch (stage) {
      case SENT -> {
        if (mayRetry()) {
          isRetried = true;
          send(true);
        } else {
          fail(GatewayMetrics.Failure.BROKEN_OFF, Refusals.BROKEN_OFF);
        }
      }
      case ANSWERING -> {
        shared.parts().metrics().failed(GatewayMetrics.Failure.BROKEN_OFF);
        cut();
      }
      case TUNNEL -> {
        giveBack();
        record();
        stage = Stage.OVER;
        client.closeAfterAnswer();
      }
      case DECIDING, WAITING, CONNECTING, ANSWERED, OVER -> {}
    }
  }

  /**
   * A connection that was kept open may have been closed by the upstream just when it was used:
   * what may be sent twice, and is still here, is.
   */
  private boolean mayRetry() {
    return !isRetried && isWhole && isBodiless && IDEMPOTENT.contains(request.method());
  }

  /** Patience is at its end. */
  void timedOut() {
    switch (stage) {
      case CONNECTING -> fail(GatewayMetrics.Failure.CONNECT_TIMEOUT, Refusals.NO_CONNECTION);
      case SENT -> {
        boolean isClientSlow = !isWhole && upstream != null && upstream.isWritable();
        abandonUpstream();
        if (isClientSlow) {
          isLastOfClient = true;
          refuse(Refusals.SLOW_BODY);
        } else {
          fail(GatewayMetrics.Failure.ANSWER_TIMEOUT, Refusals.NO_ANSWER);
        }
      }
      case ANSWERING, TUNNEL -> cut();
      case ANSWERED -> {
        isLastOfClient = true;
        over();
      }
      case DECIDING, WAITING, OVER -> client.endlessPatience();
    }
  }

  private void fail(GatewayMetrics.Failure failure, Problem problem) {
    shared.parts().metrics().failed(failure);
    refuse(problem);
  }

  /** Answers in place of the upstream. */
  private void refuse(Problem problem) {
    client.endlessPatience();
    status = problem.status();
    isLastOfClient |= shared.isDraining() || (expectsContinue && !isWhole);
    FullHttpResponse answer = Refusals.answer(problem, isLastOfClient);
    describe(answer.headers());
    persist(answer.headers());
    client.write(answer);
    client.flush();
    said();
  }

  /** What was sent is not the whole of it, and must not look so. */
  private void cut() {
    abandonUpstream();
    releaseHeld();
    giveBack();
    record();
    stage = Stage.OVER;
    client.cut();
  }

  /** The client has left. */
  void clientGone() {
    if (stage == Stage.OVER) {
      return;
    }
    boolean isAnswered = stage == Stage.ANSWERED || stage == Stage.TUNNEL;
    if (wait != null) {
      wait.cancel(false);
    }
    abandonUpstream();
    releaseHeld();
    // While it is being decided, whoever decides gives back what it takes.
    if (stage != Stage.DECIDING) {
      giveBack();
    }
    if (!isAnswered) {
      status = CLIENT_GONE;
    }
    if (stage != Stage.ANSWERED) {
      record();
    }
    stage = Stage.OVER;
  }

  private void abandonUpstream() {
    UpstreamConnection to = upstream;
    upstream = null;
    if (to != null) {
      to.abandon();
    }
  }

  private void giveBack() {
    Ticket given = ticket;
    ticket = Ticket.NONE;
    shared.close(given);
  }

  private void releaseHeld() {
    held.forEach(ReferenceCountUtil::release);
    held.clear();
  }

  private void record() {
    long nanos = System.nanoTime() - startNanos;
    shared.parts().metrics().answered(label, status, nanos);
    Seen known = seen;
    if (known != null && AccessLog.isOn()) {
      AccessLog.write(known.request(), requestId, label, status, nanos, verdict);
    }
  }
}
