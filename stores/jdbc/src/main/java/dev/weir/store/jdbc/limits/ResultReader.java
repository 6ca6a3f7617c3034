package dev.weir.store.jdbc.limits;

import dev.weir.limits.Delayed;
import dev.weir.limits.Outcome;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads results from numbers, in order: those that {@code weir_limit_decide_batch_4} returns, and
 * those of {@link RememberedRequest#numbers}.
 */
final class ResultReader {
  /** In place of the retry time of a limit request whose permits are granted. */
  static final long ALLOWED = -1;

  /** In place of the retry time of a limit request whose permits are waited for in a queue. */
  static final long WAITED_FOR = -2;

  private final Long[] numbers;
  private int at;

  ResultReader(Long[] numbers) {
    this.numbers = numbers;
  }

  long next() {
    return numbers[at++];
  }

  /** Reads a list of outcomes, preceded by its size. */
  List<Outcome> outcomes() {
    int count = Math.toIntExact(next());
    List<Outcome> decisions = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      decisions.add(outcome());
    }
    return decisions;
  }

  private Outcome outcome() {
    long remaining = next();
    long reset = next();
    long retryAfter = next();
    return retryAfter == WAITED_FOR
        ? new Delayed(remaining, reset, next(), Math.toIntExact(next()))
        : LimitCall.decision(remaining, reset, retryAfter);
  }
}
