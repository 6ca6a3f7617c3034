package dev.weir.server.gateway;

import dev.weir.engine.StoreException;
import dev.weir.engine.rules.RepeatedHeaderException;
import dev.weir.engine.rules.Ticket;
import dev.weir.engine.rules.Verdict;
import dev.weir.server.rest.Problem;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the rules say of a request: asks them, lets it wait if they say so, and gives back what it
 * holds when it is closed. Belongs to an event loop, which it leaves only to ask a store.
 */
final class Judgement {
  private static final Logger log = LoggerFactory.getLogger(Judgement.class);

  private final Loop loop;
  private final Shared shared;
  private final String requestId;
  private final Hearer hearer;
  private @Nullable Verdict verdict;
  private Ticket ticket = Ticket.NONE;
  private @Nullable Future<?> wait;
  private boolean isClosed;

  /** Is told once, unless it was closed before. */
  interface Hearer {
    /** The request may go on, perhaps after a wait. */
    void passed();

    void refused(Problem problem);
  }

  Judgement(Loop loop, String requestId, Hearer hearer) {
    this.loop = loop;
    this.shared = loop.shared();
    this.requestId = requestId;
    this.hearer = hearer;
  }

  void begin(GatewayRequest request) {
    if (shared.parts().isBlocking()) {
      shared.await(
          () -> {
            Decided decided = decide(request);
            loop.eventLoop().execute(() -> decided(decided));
          });
    } else {
      decided(decide(request));
    }
  }

  /** What the rules said, or why they could not be asked. */
  private sealed interface Decided {
    record Said(Verdict verdict) implements Decided {}

    record Failed(Problem problem) implements Decided {}
  }

  private Decided decide(GatewayRequest request) {
    try {
      return new Decided.Said(shared.parts().desk().decide(request));
    } catch (RepeatedHeaderException e) {
      return new Decided.Failed(Problem.of(400, "repeated-header", String.valueOf(e.getMessage())));
    } catch (StoreException e) {
      log.error("Request {} could not be decided: {}", requestId, e.getMessage());
      return new Decided.Failed(
          e.isFull()
              ? Problem.storeFull(e)
              // Whatever was counted: the request itself went nowhere.
              : Problem.storeUnavailable(
                  StoreException.Outcome.NONE,
                  "The rules cannot be asked now, so the request was not forwarded; try again"
                      + " soon."));
    } catch (RuntimeException e) {
      log.error("Request {} could not be decided", requestId, e);
      return new Decided.Failed(
          Problem.of(
              500, "unexpected", "Something went wrong; the log knows more of " + requestId + "."));
    }
  }

  private void decided(Decided decided) {
    switch (decided) {
      case Decided.Failed failed -> refused(failed.problem());
      case Decided.Said said -> judged(said.verdict());
    }
  }

  private void judged(Verdict said) {
    verdict = said;
    switch (said) {
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
      case Verdict.Refused refused -> refused(Problem.quotaExceeded(refused));
      case Verdict.Reused reused -> throw new IllegalStateException("a request without an id");
    }
  }

  /** While it was being decided, the client may have left. */
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
      hearer.passed();
    }
  }

  private void refused(Problem problem) {
    if (!isClosed) {
      hearer.refused(problem);
    }
  }

  /** What was said, if it was. */
  @Nullable Verdict verdict() {
    return verdict;
  }

  /** Returns true if there is something to give back. */
  boolean holds() {
    return !ticket.isEmpty();
  }

  /** The request is over: gives back what it holds, and waits no more. Twice is harmless. */
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
