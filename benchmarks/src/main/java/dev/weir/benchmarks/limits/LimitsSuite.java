package dev.weir.benchmarks.limits;

import dev.weir.benchmarks.Row;
import dev.weir.benchmarks.Suite;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The limits benchmarks: decisions in memory, on Redis, on PostgreSQL and over HTTP. */
public final class LimitsSuite implements Suite {
  private static final List<LimitsCase> CASES =
      List.of(
          new MemoryCase(),
          new FootprintCase(),
          RedisCase.ONE_KEY,
          RedisCase.MANY_KEYS,
          new PostgresqlCase(),
          new HttpCase());

  @Override
  public String name() {
    return "limits";
  }

  @Override
  public Outcome run(Request request) throws Exception {
    Effort effort = Effort.of(request.quick());
    Map<String, String> facts = new LinkedHashMap<>();
    List<Row> rows = new ArrayList<>();
    for (LimitsCase part : CASES) {
      if (request.isWanted(part.name())) {
        Outcome outcome = part.run(effort, request);
        facts.putAll(outcome.facts());
        rows.addAll(outcome.rows());
      }
    }
    return new Outcome(facts, rows);
  }
}
