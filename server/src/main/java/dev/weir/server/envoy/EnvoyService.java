package dev.weir.server.envoy;

import dev.weir.core.limits.Decision;
import dev.weir.core.limits.Delayed;
import dev.weir.core.limits.Outcome;
import dev.weir.engine.StoreException;
import dev.weir.engine.limits.AcquireRequest;
import dev.weir.engine.limits.AcquireResult;
import dev.weir.engine.limits.LimitRequest;
import dev.weir.engine.limits.LimitStore;
import dev.weir.engine.rules.LimitedRule;
import dev.weir.engine.rules.RuleCheck;
import dev.weir.engine.rules.RuleEvaluator;
import dev.weir.engine.rules.RuleResult;
import dev.weir.engine.rules.Ticket;
import dev.weir.engine.rules.Verdict;
import dev.weir.server.metrics.EnvoyMetrics;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Envoy's rate limit service. The descriptors of a call are granted together or not at all.
 *
 * <p>A call first gives back, then peeks, then takes. A call that waits in a queue holds no thread.
 */
final class EnvoyService implements RateLimitServiceGrpc.AsyncService {
  private static final Logger log = LoggerFactory.getLogger(EnvoyService.class);

  /**
   * Time reserved for the response to reach Envoy. A response after the deadline would let the
   * request pass if Envoy is configured to fail open.
   */
  private static final long WAY_BACK_MICROS = 10_000;

  private final DescriptorReader reader;
  private final RuleEvaluator desk;
  private final LimitStore counts;
  private final EnvoyMetrics metrics;
  private final WaitingRoom waitingRoom;
  private final InstantSource clock;

  EnvoyService(EnvoyServer.Parts parts, WaitingRoom waitingRoom) {
    this.reader = new DescriptorReader(parts.book(), parts.metrics());
    this.desk = parts.desk();
    this.counts = parts.counts();
    this.metrics = parts.metrics();
    this.clock = parts.clock();
    this.waitingRoom = waitingRoom;
  }

  @Override
  public void shouldRateLimit(
      RateLimitRequest request, StreamObserver<RateLimitResponse> observer) {
    // Without a handler, answering a caller that has cancelled would throw.
    ServerCallStreamObserver<RateLimitResponse> caller =
        (ServerCallStreamObserver<RateLimitResponse>) observer;
    caller.setOnCancelHandler(() -> {});
    if (isMalformed(request)) {
      fail(caller, Status.INVALID_ARGUMENT.withDescription("the request is no protobuf message"));
      return;
    }
    try {
      List<Question> questions = reader.read(request);
      List<RuleResult> givenBack = giveBack(questions);
      Verdict verdict = decide(questions);
      if (verdict instanceof Verdict.Queued queued) {
        answerLater(caller, questions, queued, givenBack);
      } else {
        answer(caller, questions, verdict, givenBack);
      }
    } catch (IllegalArgumentException e) {
      fail(caller, Status.INVALID_ARGUMENT.withDescription(e.getMessage()));
    } catch (StoreException e) {
      log.debug("A store did not answer", e);
      fail(caller, Status.UNAVAILABLE.withDescription(described(e)));
    } catch (RuntimeException e) {
      log.error("A call of Envoy failed", e);
      fail(caller, Status.INTERNAL);
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
      List<Question> questions,
      Verdict verdict,
      List<RuleResult> givenBack) {
    if (verdict instanceof Verdict.Refused) {
      metrics.overLimit();
    } else {
      metrics.ok();
    }
    caller.onNext(Reply.of(questions, verdict, givenBack));
    caller.onCompleted();
  }

  private void fail(StreamObserver<RateLimitResponse> caller, Status status) {
    metrics.failed();
    caller.onError(status.asRuntimeException());
  }

  /** Answers when the wait is over, or refuses immediately if the caller's deadline is earlier. */
  private void answerLater(
      ServerCallStreamObserver<RateLimitResponse> caller,
      List<Question> questions,
      Verdict.Queued queued,
      List<RuleResult> givenBack) {
    Ticket ticket = queued.ticket();
    Deadline deadline = Context.current().getDeadline();
    if (deadline != null
        && deadline.timeRemaining(TimeUnit.MICROSECONDS) - WAY_BACK_MICROS
            <= queued.delayMicros()) {
      ticket.close();
      answer(caller, questions, tooLate(queued), givenBack);
      return;
    }
    WaitingRoom.Seat seat =
        waitingRoom.wait(
            queued.delayMicros(),
            () -> {
              ticket.waited();
              answer(caller, questions, queued, givenBack);
              ticket.close();
            });
    caller.setOnCancelHandler(() -> seat.leave(ticket::close));
  }

  private static Verdict.Refused tooLate(Verdict.Queued queued) {
    List<RuleResult> said =
        queued.said().stream()
            .map(
                each ->
                    each.outcome() instanceof Delayed delayed
                        ? new RuleResult(each.check(), refused(delayed, delayed.delayMicros()))
                        : each)
            .toList();
    return new Verdict.Refused(said, queued.mode(), queued.decidedAt());
  }

  private static Decision.Refused refused(Outcome decision, long retryAfterMicros) {
    return new Decision.Refused(decision.remaining(), decision.resetMicros(), retryAfterMicros);
  }

  private Verdict decide(List<Question> questions) {
    List<RuleCheck> toTake = gathered(questions, Question.Kind.TAKE);
    List<RuleResult> looked = look(questions);
    if (questions.stream().anyMatch(each -> each.kind() == Question.Kind.REFUSE)
        || toTake.stream().anyMatch(EnvoyService::isTooMuch)
        || looked.stream().anyMatch(said -> said.outcome() instanceof Decision.Refused)) {
      return refuse(questions, toTake, looked);
    }
    if (toTake.isEmpty()) {
      return new Verdict.Passed(
          looked, AcquireResult.Mode.STORE, Optional.empty(), Ticket.NONE, false);
    }
    if (toTake.size() > AcquireRequest.MAX_PARTS) {
      throw new IllegalArgumentException(
          "the descriptors speak of %d rules and keys, at most %d can be asked together"
              .formatted(toTake.size(), AcquireRequest.MAX_PARTS));
    }
    Verdict verdict = desk.decide(toTake, RuleEvaluator.Repeat.NONE);
    return looked.isEmpty() ? verdict : withLooked(verdict, looked);
  }

  private static Verdict withLooked(Verdict verdict, List<RuleResult> looked) {
    List<RuleResult> said = new ArrayList<>(verdict.said());
    said.addAll(looked);
    return switch (verdict) {
      case Verdict.Passed passed ->
          new Verdict.Passed(
              said, passed.mode(), passed.decidedAt(), passed.ticket(), passed.isReplayed());
      case Verdict.Queued queued ->
          new Verdict.Queued(
              said,
              queued.mode(),
              queued.decidedAt(),
              queued.ticket(),
              queued.delayMicros(),
              queued.position(),
              queued.isReplayed());
      case Verdict.Refused refused ->
          new Verdict.Refused(
              said, refused.mode(), refused.decidedAt(), refused.isOutcomeUnknown());
      case Verdict.Reused reused -> reused;
    };
  }

  /**
   * Returns the state of the enforced rules that are only peeked at. A rule that would queue the
   * request counts as refused, because a peek does not wait.
   */
  private List<RuleResult> look(List<Question> questions) {
    List<RuleCheck> toLook = inForce(gathered(questions, Question.Kind.LOOK));
    return toLook.isEmpty()
        ? List.of()
        : desk.peek(toLook).stream()
            .map(
                said ->
                    said.outcome() instanceof Delayed delayed
                        ? new RuleResult(said.check(), refused(delayed, delayed.resetMicros()))
                        : said)
            .toList();
  }

  /** Refuses the call without taking anything, and reports the state of the other rules. */
  private Verdict refuse(
      List<Question> questions, List<RuleCheck> toTake, List<RuleResult> looked) {
    List<RuleResult> said = new ArrayList<>(looked);
    for (RuleCheck asked : inForce(gathered(questions, Question.Kind.REFUSE))) {
      said.add(never(asked));
    }
    for (RuleCheck asked : inForce(toTake)) {
      said.add(isTooMuch(asked) ? never(asked) : desk.peek(List.of(asked)).getFirst());
    }
    return new Verdict.Refused(said, AcquireResult.Mode.STORE, Optional.empty());
  }

  /**
   * Returns a refusal for a check that can never pass: even the rule's whole capacity is not
   * enough.
   */
  private RuleResult never(RuleCheck asked) {
    Outcome decision = desk.peek(List.of(bounded(asked))).getFirst().outcome();
    return new RuleResult(asked, refused(decision, decision.resetMicros()));
  }

  /** Returns true if the cost exceeds the rule's maximum. The sum of several descriptors can. */
  private static boolean isTooMuch(RuleCheck asked) {
    return asked.cost() > asked.rule().maxCost();
  }

  private static RuleCheck bounded(RuleCheck asked) {
    return isTooMuch(asked)
        ? new RuleCheck(asked.rule(), asked.key(), asked.rule().maxCost())
        : asked;
  }

  private List<RuleResult> giveBack(List<Question> questions) {
    List<RuleCheck> asked = gathered(questions, Question.Kind.GIVE_BACK);
    if (asked.isEmpty()) {
      return List.of();
    }
    List<LimitRequest> asks = new ArrayList<>(asked.size());
    for (RuleCheck each : asked) {
      // Envoy does not report whether a request has waited, in which case it took nothing.
      if (each.rule().means() instanceof LimitedRule.Counted counted && counted.queue().isEmpty()) {
        asks.add(new LimitRequest(counted.policy(), each.key(), bounded(each).cost()));
      }
    }
    if (!asks.isEmpty()) {
      counts.refund(AcquireRequest.all(asks), clock.instant());
    }
    return desk.peek(
        inForce(asked).stream().map(each -> new RuleCheck(each.rule(), each.key(), 1)).toList());
  }

  private static List<RuleCheck> inForce(List<RuleCheck> asked) {
    return asked.stream().filter(each -> !each.rule().isShadow()).toList();
  }

  /**
   * Returns the checks of all questions of a kind, with the costs for the same rule and key added
   * up.
   */
  private static List<RuleCheck> gathered(List<Question> questions, Question.Kind kind) {
    if (questions.size() == 1) {
      Question only = questions.getFirst();
      return only.kind() == kind ? only.asked() : List.of();
    }
    List<RuleCheck> gathered = new ArrayList<>(questions.size());
    for (Question question : questions) {
      if (question.kind() == kind) {
        question.asked().forEach(asked -> gather(gathered, asked));
      }
    }
    return gathered;
  }

  private static void gather(List<RuleCheck> gathered, RuleCheck asked) {
    for (int i = 0; i < gathered.size(); i++) {
      RuleCheck other = gathered.get(i);
      if (other.rule() == asked.rule() && other.key().equals(asked.key())) {
        RuleCheck sum = new RuleCheck(asked.rule(), asked.key(), asked.cost() + other.cost());
        // A shadow rule refuses too high a cost, but must not block the request.
        gathered.set(i, asked.rule().isShadow() ? bounded(sum) : sum);
        return;
      }
    }
    gathered.add(asked);
  }
}
