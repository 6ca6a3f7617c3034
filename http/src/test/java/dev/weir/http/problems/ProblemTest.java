package dev.weir.http.problems;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.StoreException;
import org.junit.jupiter.api.Test;

final class ProblemTest {
  @Test
  void namesTheStoreThatFailed() {
    StoreException failure =
        new StoreException("redis", StoreException.Outcome.NONE, "connection refused");

    assertThat(Problem.of(failure).detail())
        .isEqualTo(
            "The store redis does not answer or is too busy. Nothing was done; try again soon.");
    assertThat(Problem.of(StoreException.shared(failure)).detail()).contains("redis");
    assertThat(Problem.of(failure.withOutcome(StoreException.Outcome.UNKNOWN)).detail())
        .startsWith("The store redis did not answer in time");
  }

  @Test
  void namesNoStoreIfNoneIsKnown() {
    assertThat(Problem.of(new StoreException(StoreException.Outcome.NONE, "overloaded")).detail())
        .startsWith("The store does not answer or is too busy.");
  }
}
