package dev.weir.benchmarks.slots;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.benchmarks.Machine;
import dev.weir.benchmarks.Row;
import dev.weir.benchmarks.Suite;
import java.util.ArrayList;
import java.util.List;

/** The slots benchmarks: many callers, one caller, bulk, a deep backlog, many configurations. */
public final class SlotsSuite implements Suite {
  /** One case of the suite, with its rows. */
  interface Case {
    List<Row> run(BenchDatabase database, Effort effort, Request request) throws Exception;
  }

  private static final List<Case> CASES =
      List.of(
          new CallersCase(64),
          new CallersCase(1),
          new ManyConfigsCase(),
          new DepthCase(),
          new BulkCase());

  @Override
  public String name() {
    return "slots";
  }

  @Override
  public Outcome run(Request request) throws Exception {
    Effort effort = Effort.of(request.quick());
    List<Row> rows = new ArrayList<>();
    try (BenchDatabase database = BenchDatabase.open(request.databaseUrl())) {
      for (Case part : CASES) {
        rows.addAll(part.run(database, effort, request));
      }
      try (HikariDataSource pool = database.pool()) {
        return new Outcome(Machine.facts(pool), rows);
      }
    }
  }
}
