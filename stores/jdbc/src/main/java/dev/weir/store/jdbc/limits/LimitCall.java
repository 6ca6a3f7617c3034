package dev.weir.store.jdbc.limits;

import dev.weir.core.limits.Decision;
import dev.weir.engine.limits.AcquireResult;
import dev.weir.engine.limits.Refund;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Steps that are done by one statement, the call of a function. */
sealed interface LimitCall permits SingleCall, BatchCall {
  /** The function that costs least. */
  static LimitCall of(List<LimitStep> steps) {
    return steps.size() == 1
            && steps.getFirst() instanceof LimitStep.Decide decide
            && decide.demand().asks().size() == 1
            && !decide.demand().isRepeatable()
            && decide.demand().waits().isEmpty()
        ? new SingleCall(decide.demand().asks().getFirst())
        : new BatchCall(steps);
  }

  /**
   * Runs it.
   *
   * @param nowMicros the time that counts, null for the database's
   * @param lookFirst whether to look without locks first: right if likely all will be refused
   */
  CallResult run(Connection connection, @Nullable Long nowMicros, boolean lookFirst)
      throws SQLException;

  /**
   * What became of all steps.
   *
   * @param wrote whether anything was taken or given back
   */
  record CallResult(List<Done> done, boolean wrote) {}

  /** What became of a step. */
  sealed interface Done {}

  /** To a demand. */
  record Decided(AcquireResult answer) implements Done {}

  /** To what was to be given back. */
  record GivenBack(Refund refund) implements Done {}

  /** A decision as the functions tell it. */
  static Decision decision(long remaining, long reset, long retryAfter) {
    return retryAfter < 0
        ? new Decision.Allowed(remaining, reset)
        : new Decision.Refused(remaining, reset, retryAfter);
  }
}
