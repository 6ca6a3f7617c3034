package dev.weir.store.jdbc.limits;

import dev.weir.limits.Delayed;
import dev.weir.limits.Outcome;
import java.util.ArrayList;
import java.util.List;

/** Reads results from the numbers that {@code weir_limit_decide_batch_4} returns, in order. */
final class ResultReader {
  /** Replaces the retry time of a limit request whose permits are waited for in a queue. */
  private static final long WAITED_FOR = -2;

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
