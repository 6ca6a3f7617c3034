package dev.weir.server.wiring;

import dev.weir.http.endpoints.Readiness;
import java.util.List;
import java.util.function.Supplier;

/**
 * The readiness of a node: without its database it is not ready, without Kafka, OpenSearch or
 * Temporal it is. A node without a database, of which all rules are closed, is not ready without
 * the store of its limits: it cannot decide anything.
 */
record NodeReadiness(Supplier<String> againstReadiness, List<Supplier<List<String>>> otherWarnings)
    implements Readiness {
  @Override
  public String reasonAgainst() {
    return againstReadiness.get();
  }

  @Override
  public List<String> warnings() {
    return otherWarnings.stream().flatMap(warnings -> warnings.get().stream()).toList();
  }
}
