package dev.weir.benchmarks.payments;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.benchmarks.Machine;
import dev.weir.benchmarks.Row;
import dev.weir.benchmarks.Suite;
import dev.weir.benchmarks.slots.BenchDatabase;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The payments benchmarks: a feed from its first byte until all its workflows are handed over,
 * against the slots of as many events; and paced starts against plain ones.
 */
public final class PaymentsSuite implements Suite {
  /** One case of the suite, with its rows. */
  interface Case {
    String name();

    List<Row> run(BenchDatabase database, Effort effort, Request request) throws Exception;
  }

  private static final List<Case> CASES = List.of(new IngestCase(), new StartsCase());

  @Override
  public String name() {
    return "payments";
  }

  @Override
  public Outcome run(Request request) throws Exception {
    Effort effort = Effort.of(request.quick());
    List<Row> rows = new ArrayList<>();
    try (BenchDatabase database = BenchDatabase.open(request.databaseUrl())) {
      for (Case part : CASES) {
        if (request.isWanted(part.name())) {
          rows.addAll(part.run(database, effort, request));
        }
      }
      try (HikariDataSource pool = database.pool()) {
        Map<String, String> facts = new LinkedHashMap<>(Machine.facts(pool));
        facts.put("Temporal", "test server in the process that is measured");
        return new Outcome(facts, rows);
      }
    }
  }
}
