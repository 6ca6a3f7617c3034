package dev.weir.server.wiring;

import dev.weir.server.http.Readiness;
import java.util.List;
import java.util.function.Supplier;

/** The readiness of a node: without its database it is not ready, without Kafka it is. */
record NodeReadiness(Supplier<String> againstReadiness, Supplier<List<String>> otherWarnings)
    implements Readiness {
  @Override
  public String reasonAgainst() {
    return againstReadiness.get();
  }

  @Override
  public List<String> warnings() {
    return otherWarnings.get();
  }
}
