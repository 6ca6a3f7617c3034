package dev.weir.server.gateway;

import dev.weir.StoreException;
import dev.weir.http.problems.Problem;
import dev.weir.rules.Ticket;
import dev.weir.rules.TooManyRulesException;
import dev.weir.rules.Verdict;
import dev.weir.rules.matching.internal.RepeatedHeaderException;
import dev.weir.server.refusals.LimitProblems;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Evaluates the rules for one request, delays it if they queue it, and gives back what it holds
 * when closed. Confined to an event loop; only calls to a store run on another thread.
 */
final class RuleEvaluation {
  private static final Logger log = LoggerFactory.getLogger(RuleEvaluation.class);

  private final EventLoopContext loop;
  private final GatewayContext shared;
  private final String requestId;
  private final Listener listener;
  private @Nullable Verdict verdict;
  private Ticket ticket = Ticket.NONE;
  private @Nullable Future<?> wait;
  private boolean isClosed;

  /** Receives the result. Called once, unless the evaluation is closed first. */
  interface Listener {
    /** Called when the request may proceed, possibly after a wait. */
    void passed();

    void refused(Problem problem);
  }

  RuleEvaluation(EventLoopContext loop, String requestId, Listener listener) {
    this.loop = loop;
    this.shared = loop.shared();
    this.requestId = requestId;
    this.listener = listener;
  }

  void begin(GatewayRequest request) {
    if (shared.engine().isBlocking()) {
      shared.await(
          () -> {
            Decided decided = decide(request);
            loop.eventLoop().execute(() -> decided(decided));
          });
    } else {
      decided(decide(request));
    }
  }

  /** The verdict, or the reason why the rules could not be evaluated. */
  private sealed interface Decided {
    record Evaluated(Verdict.Decided verdict) implements Decided {}

    record Failed(Problem problem) implements Decided {}
  }

  private Decided decide(GatewayRequest request) {
    try {
      return new Decided.Evaluated(shared.engine().evaluator().decide(request));
    } catch (RepeatedHeaderException e) {
      return new Decided.Failed(Problem.of(400, "repeated-header", String.valueOf(e.getMessage())));
    } catch (TooManyRulesException e) {
      log.error("Request {} could not be decided: {}", requestId, e.getMessage());
      return new Decided.Failed(LimitProblems.tooManyRules(e));
    } catch (StoreException e) {
      log.error("Request {} could not be decided: {}", requestId, e.getMessage());
      return new Decided.Failed(
          e.isFull()
              ? Problem.storeFull(e)
              : Problem.storeUnavailable(
                  e.outcome(),
                  "The rules cannot be evaluated now, so the request was not forwarded. %s; try"
                          .formatted(
                              switch (e.outcome()) {
                                case NONE -> "Nothing was counted";
                                case UNKNOWN -> "Whether it was counted is unknown";
                              })
                      + " again soon."));
    } catch (RuntimeException e) {
      log.error("Request {} could not be decided", requestId, e);
      return new Decided.Failed(
          Problem.of(
              500,
              "unexpected",
              "Something went wrong; see the log for request " + requestId + "."));
    }
  }

  private void decided(Decided decided) {
    switch (decided) {
      case Decided.Failed failed -> refused(failed.problem());
      case Decided.Evaluated result -> evaluated(result.verdict());
    }
  }

  private void evaluated(Verdict.Decided result) {
    verdict = result;
    switch (result) {
      case Verdict.Passed passed -> {
        hold(passed.ticket());
        passed();
      }
      case Verdict.Queued queued -> {
        hold(queued.ticket());
        if (!isClosed) {
          wait =
              loop.eventLoop().schedule(this::waited, queued.delayMicros(), TimeUnit.MICROSECONDS);
        }
      }
      case Verdict.Refused refused -> refused(LimitProblems.of(refused));
    }
  }

  /** Keeps the ticket, or closes it if the client left while the rules were evaluated. */
  private void hold(Ticket taken) {
    if (isClosed) {
      shared.close(taken);
    } else {
      ticket = taken;
    }
  }

  private void waited() {
    if (!isClosed) {
      ticket.waited();
      passed();
    }
  }

  private void passed() {
    if (!isClosed) {
      listener.passed();
    }
  }

  private void refused(Problem problem) {
    if (!isClosed) {
      listener.refused(problem);
    }
  }

  /** Returns the verdict, or null if there is none yet. */
  @Nullable Verdict verdict() {
    return verdict;
  }

  /** Returns true if the request holds something that must be given back. */
  boolean holds() {
    return !ticket.isEmpty();
  }

  /** Gives back what the request holds and cancels its wait. Idempotent. */
  void close() {
    isClosed = true;
    if (wait != null) {
      wait.cancel(false);
    }
    Ticket given = ticket;
    ticket = Ticket.NONE;
    shared.close(given);
  }
}
