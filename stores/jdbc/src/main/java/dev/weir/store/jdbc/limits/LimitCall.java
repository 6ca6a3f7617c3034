package dev.weir.store.jdbc.limits;

import dev.weir.limits.AcquireResult;
import dev.weir.limits.Decision;
import dev.weir.limits.Refund;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A batch of steps that run in one statement, the call of a function. */
sealed interface LimitCall permits SingleCall, BatchCall {
  /** Returns a call of the cheapest function that can do these steps. */
  static LimitCall of(List<LimitStep> steps) {
    return steps.size() == 1
            && steps.getFirst() instanceof LimitStep.Decide decide
            && decide.request().parts().size() == 1
            && !decide.request().isRepeatable()
            && decide.request().delays().isEmpty()
        ? new SingleCall(decide.request().parts().getFirst())
        : new BatchCall(steps);
  }

  /**
   * Runs all steps in one statement.
   *
   * @param nowMicros the time to decide by, null for the database's clock
   * @param lookFirst whether to decide without locks first, which pays if all steps are likely to
   *     be refused
   */
  CallResult run(Connection connection, @Nullable Long nowMicros, boolean lookFirst)
      throws SQLException;

  /**
   * The results of all steps.
   *
   * @param wrote whether any permits were taken or refunded
   */
  record CallResult(List<Done> done, boolean wrote) {}

  /** The result of a step. */
  sealed interface Done {}

  /** The result of {@link LimitStep.Decide}. */
  record Decided(AcquireResult result) implements Done {}

  /** The result of {@link LimitStep.GiveBack}. */
  record GivenBack(Refund refund) implements Done {}

  /** Converts a decision from the numbers that the functions return. */
  static Decision decision(long remaining, long reset, long retryAfter) {
    return retryAfter < 0
        ? new Decision.Allowed(remaining, reset)
        : new Decision.Refused(remaining, reset, retryAfter);
  }
}
