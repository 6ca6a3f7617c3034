package dev.weir.benchmarks.stores;

import dev.weir.benchmarks.Row;
import dev.weir.benchmarks.Suite;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The stores benchmarks: slots in Oracle, for which H2 stands in, and token buckets in SurrealDB.
 */
public final class StoresSuite implements Suite {
  @Override
  public String name() {
    return "stores";
  }

  @Override
  public Outcome run(Request request) throws Exception {
    Map<String, String> facts = new LinkedHashMap<>();
    List<Row> rows = new ArrayList<>();
    if (request.isWanted(OracleCase.NAME)) {
      Outcome outcome = OracleCase.run(request);
      facts.putAll(outcome.facts());
      rows.addAll(outcome.rows());
    }
    if (request.isWanted(SurrealDbCase.NAME)) {
      Outcome outcome = SurrealDbCase.run(request);
      facts.putAll(outcome.facts());
      rows.addAll(outcome.rows());
    }
    return new Outcome(facts, rows);
  }
}
