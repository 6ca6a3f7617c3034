package dev.weir.server.envoy;

import dev.weir.StoreException;
import dev.weir.limits.Delayed;
import dev.weir.rules.RuleResult;
import dev.weir.rules.Ticket;
import dev.weir.rules.Verdict;
import dev.weir.server.metrics.EnvoyMetrics;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Envoy's rate limit service. The descriptors of a call are granted together or not at all.
 *
 * <p>A call that waits in a queue holds no thread.
 */
final class EnvoyService implements RateLimitServiceGrpc.AsyncService {
  private static final Logger log = LoggerFactory.getLogger(EnvoyService.class);

  /**
   * Time reserved for the response to reach Envoy. A response after the deadline would let the
   * request pass if Envoy is configured to fail open.
   */
  private static final long WAY_BACK_MICROS = 10_000;

  private final DescriptorReader reader;
  private final DescriptorEvaluator evaluator;
  private final EnvoyMetrics metrics;
  private final WaitingRoom waitingRoom;

  EnvoyService(EnvoyServer.Parts parts, WaitingRoom waitingRoom) {
    this.reader = new DescriptorReader(parts.index(), parts.metrics());
    this.evaluator = new DescriptorEvaluator(parts.evaluator(), parts.counts());
    this.metrics = parts.metrics();
    this.waitingRoom = waitingRoom;
  }

  @Override
  public void shouldRateLimit(
      RateLimitRequest message, StreamObserver<RateLimitResponse> observer) {
    // Without a handler, answering a caller that has cancelled would throw.
    ServerCallStreamObserver<RateLimitResponse> caller =
        (ServerCallStreamObserver<RateLimitResponse>) observer;
    caller.setOnCancelHandler(() -> {});
    if (isMalformed(message)) {
      fail(
          caller,
          Status.INVALID_ARGUMENT.withDescription(
              "the request is not a protobuf message, or has more than %d fields"
                  .formatted(FieldCount.MAX_FIELDS)));
      return;
    }
    List<DescriptorRequest> requests = List.of();
    try {
      requests = reader.read(message);
      List<RuleResult> givenBack = evaluator.giveBack(requests);
      Verdict verdict = evaluator.decide(requests);
      if (verdict instanceof Verdict.Queued queued) {
        answerLater(caller, requests, queued, givenBack);
      } else {
        answer(caller, requests, verdict, givenBack);
      }
    } catch (IllegalArgumentException e) {
      fail(caller, Status.INVALID_ARGUMENT.withDescription(e.getMessage()));
    } catch (StoreException e) {
      log.debug("A store did not answer", e);
      answerWithoutStore(caller, requests, e);
    } catch (RuntimeException e) {
      log.error("A call from Envoy failed", e);
      fail(caller, Status.INTERNAL);
    }
  }

  /**
   * Answers as the rules say for a store that fails. An error would leave it to Envoy, which lets
   * requests pass unless it is configured otherwise; only if no rule is known, there is no other
   * answer.
   */
  private void answerWithoutStore(
      StreamObserver<RateLimitResponse> caller,
      List<DescriptorRequest> requests,
      StoreException failure) {
    Optional<Verdict> verdict = evaluator.withoutStore(requests, failure);
    if (verdict.isPresent()) {
      answer(caller, requests, verdict.get(), List.of());
    } else {
      fail(caller, Status.UNAVAILABLE.withDescription(described(failure)));
    }
  }

  private static String described(StoreException failure) {
    return switch (failure.outcome()) {
      case NONE -> "the store of limits does not answer; nothing was counted";
      case UNKNOWN -> "the store of limits does not answer; the hits may have been counted";
    };
  }

  @SuppressWarnings("ReferenceEquality") // An empty message that was sent is equal to it.
  private static boolean isMalformed(RateLimitRequest request) {
    return request == RequestMarshaller.MALFORMED;
  }

  private void answer(
      StreamObserver<RateLimitResponse> caller,
      List<DescriptorRequest> requests,
      Verdict verdict,
      List<RuleResult> givenBack) {
    if (verdict instanceof Verdict.Refused) {
      metrics.overLimit();
    } else {
      metrics.ok();
    }
    caller.onNext(Reply.of(requests, verdict, givenBack));
    caller.onCompleted();
  }

  private void fail(StreamObserver<RateLimitResponse> caller, Status status) {
    metrics.failed();
    caller.onError(status.asRuntimeException());
  }

  /** Answers when the wait is over, or refuses immediately if the caller's deadline is earlier. */
  private void answerLater(
      ServerCallStreamObserver<RateLimitResponse> caller,
      List<DescriptorRequest> requests,
      Verdict.Queued queued,
      List<RuleResult> givenBack) {
    Ticket ticket = queued.ticket();
    Deadline deadline = Context.current().getDeadline();
    if (deadline != null
        && deadline.timeRemaining(TimeUnit.MICROSECONDS) - WAY_BACK_MICROS
            <= queued.delayMicros()) {
      ticket.close();
      answer(caller, requests, tooLate(queued), givenBack);
      return;
    }
    WaitingRoom.Seat seat =
        waitingRoom.wait(
            queued.delayMicros(),
            () -> {
              ticket.waited();
              try {
                answer(caller, requests, queued, givenBack);
              } finally {
                ticket.close();
              }
            });
    caller.setOnCancelHandler(() -> seat.leave(ticket::close));
  }

  private static Verdict.Refused tooLate(Verdict.Queued queued) {
    List<RuleResult> results =
        queued.results().stream()
            .map(
                result ->
                    result.outcome() instanceof Delayed delayed
                        ? new RuleResult(
                            result.check(),
                            DescriptorEvaluator.refused(delayed, delayed.delayMicros()))
                        : result)
            .toList();
    return new Verdict.Refused(results, queued.mode(), queued.decidedAt());
  }
}
