package dev.weir.store.jdbc.limits;

import dev.weir.internal.Micros;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Decision;
import dev.weir.limits.LimitRequest;
import dev.weir.store.jdbc.internal.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call of {@code weir_limit_decide_one_3} for a single limit request. The set-up work of the
 * batch function costs more than deciding one request.
 */
record SingleCall(LimitRequest request) implements LimitCall {
  private static final String CALL =
      "select weir_limit_decide_one_3(?::bigint, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

  @Override
  public CallResult run(Connection connection, @Nullable Long nowMicros, boolean lookFirst)
      throws SQLException {
    LimitParameters parameters = LimitParameters.of(request.policy().limit());
    try (PreparedStatement statement =
            Sql.prepare(
                connection,
                CALL,
                nowMicros,
                lookFirst,
                UsageId.of(request.policy(), request.key()),
                parameters.kind(),
                parameters.max(),
                parameters.size(),
                parameters.refill(),
                request.cost(),
                request.policy().version(),
                request.policy().createdAtMicros());
        ResultSet rows = statement.executeQuery()) {
      rows.next();
      return result((Long[]) rows.getArray(1).getArray());
    }
  }

  private static CallResult result(Long[] numbers) {
    Decision decision = LimitCall.decision(numbers[1], numbers[2], numbers[3]);
    AcquireResult result =
        new AcquireResult(List.of(decision), Micros.instant(numbers[0]), AcquireResult.Mode.STORE);
    return new CallResult(List.of(new Decided(result)), decision.isAllowed());
  }
}
