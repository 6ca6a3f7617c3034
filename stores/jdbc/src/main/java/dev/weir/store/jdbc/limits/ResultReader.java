package dev.weir.store.jdbc.limits;

import dev.weir.core.limits.Delayed;
import dev.weir.core.limits.Outcome;
import java.util.ArrayList;
import java.util.List;

/** Reads answers as {@code weir_limit_decide_2} writes them, one number after the other. */
final class ResultReader {
  /** In place of the time after which to try again: the ask is waited for. */
  private static final long WAITED_FOR = -2;

  private final Long[] numbers;
  private int at;

  ResultReader(Long[] numbers) {
    this.numbers = numbers;
  }

  long next() {
    return numbers[at++];
  }

  /** How many there are, and each of them. */
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
