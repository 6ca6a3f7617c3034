package dev.weir.store.jdbc.limits;

import dev.weir.limits.LeaseDecision;
import dev.weir.store.jdbc.internal.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A call of {@code weir_lease_step_1}: many steps as arrays, their replies as one array. */
final class LeaseCall {
  private static final String CALL =
      """
      select weir_lease_step_1(?::bigint, ?::text[], ?::boolean[],
        ?::int[], ?::int[], ?::text[], ?::int[], ?::int[], ?::bigint[])
      """;

  private static final int HELD = 1;

  private final List<LeaseStep> steps;

  LeaseCall(List<LeaseStep> steps) {
    this.steps = steps;
  }

  /**
   * Runs all steps in one statement.
   *
   * @param nowMicros the time to decide by, null for the database's clock
   */
  List<LeaseDecision> run(Connection connection, @Nullable Long nowMicros) throws SQLException {
    // Sorted, so that all nodes lock resources in the same order.
    TreeMap<String, Boolean> mayGrant = new TreeMap<>();
    steps.forEach(step -> mayGrant.merge(step.resource(), step.mayGrant(), Boolean::logicalOr));
    List<String> resources = List.copyOf(mayGrant.keySet());
    try (PreparedStatement statement =
            Sql.prepare(
                connection,
                CALL,
                nowMicros,
                resources.toArray(String[]::new),
                mayGrant.values().toArray(Boolean[]::new),
                steps.stream().mapToInt(step -> step.kind().number).toArray(),
                steps.stream()
                    .mapToInt(step -> 1 + Collections.binarySearch(resources, step.resource()))
                    .toArray(),
                steps.stream().map(LeaseStep::id).toArray(String[]::new),
                steps.stream().mapToInt(LeaseStep::places).toArray(),
                steps.stream().mapToInt(LeaseStep::max).toArray(),
                steps.stream().mapToLong(LeaseStep::micros).toArray());
        ResultSet rows = statement.executeQuery()) {
      rows.next();
      return decisions((Long[]) rows.getArray(1).getArray());
    }
  }

  private List<LeaseDecision> decisions(Long[] numbers) {
    List<LeaseDecision> decisions = new ArrayList<>(steps.size());
    for (int i = 0; i < steps.size(); i++) {
      LeaseReply reply =
          new LeaseReply(
              steps.get(i).id(),
              numbers[4 * i].intValue() == HELD,
              numbers[4 * i + 1].intValue(),
              numbers[4 * i + 2].intValue(),
              numbers[4 * i + 3]);
      decisions.add(reply.decision(steps.get(i).mayGrant()));
    }
    return decisions;
  }
}
