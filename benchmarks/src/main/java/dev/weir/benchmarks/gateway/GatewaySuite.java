package dev.weir.benchmarks.gateway;

import dev.weir.benchmarks.Row;
import dev.weir.benchmarks.Suite;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The gateway benchmarks: the components between a client and a service. */
public final class GatewaySuite implements Suite {
  private static final List<GatewayCase> CASES =
      List.of(new NginxCase(), new SpringCase(), new WaitingCase(), new RlsCase());

  @Override
  public String name() {
    return "gateway";
  }

  @Override
  public Outcome run(Request request) throws Exception {
    Map<String, String> facts = new LinkedHashMap<>();
    List<Row> rows = new ArrayList<>();
    for (GatewayCase part : CASES) {
      if (request.isWanted(part.name())) {
        Outcome outcome = part.run(request);
        facts.putAll(outcome.facts());
        rows.addAll(outcome.rows());
      }
    }
    return new Outcome(facts, rows);
  }
}
