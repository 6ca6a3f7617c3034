package dev.weir.store.jdbc.limits;

import dev.weir.core.Micros;
import dev.weir.core.limits.Decision;
import dev.weir.engine.limits.AcquireResult;
import dev.weir.engine.limits.LimitRequest;
import dev.weir.store.jdbc.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call of {@code weir_limit_decide_one_1}: one ask of somebody who came alone. What the other
 * function prepares for many costs more than all that is done for one.
 */
record SingleCall(LimitRequest ask) implements LimitCall {
  private static final String CALL =
      "select weir_limit_decide_one_1(?::bigint, ?, ?, ?, ?, ?, ?, ?)";

  @Override
  public CallResult run(Connection connection, @Nullable Long nowMicros, boolean lookFirst)
      throws SQLException {
    LimitParameters terms = LimitParameters.of(ask.policy().limit());
    try (PreparedStatement statement =
            Sql.prepare(
                connection,
                CALL,
                nowMicros,
                lookFirst,
                UsageId.of(ask.policy(), ask.key()),
                terms.kind(),
                terms.most(),
                terms.size(),
                terms.refill(),
                ask.cost());
        ResultSet rows = statement.executeQuery()) {
      rows.next();
      return outcome((Long[]) rows.getArray(1).getArray());
    }
  }

  private static CallResult outcome(Long[] numbers) {
    Decision decision = LimitCall.decision(numbers[1], numbers[2], numbers[3]);
    AcquireResult answer =
        new AcquireResult(List.of(decision), Micros.instant(numbers[0]), AcquireResult.Mode.STORE);
    return new CallResult(List.of(new Decided(answer)), decision.isAllowed());
  }
}
