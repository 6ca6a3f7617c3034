package dev.weir.node.capability;

import dev.weir.http.endpoints.Readiness;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/**
 * The readiness of a node: without its database it is not ready, without Kafka, OpenSearch or
 * Temporal it is. A node without a database, of which all rules are closed, is not ready without
 * the store of its limits: it cannot decide anything. Thread-safe.
 */
public final class NodeReadiness implements Readiness {
  private final List<Supplier<String>> needs = new CopyOnWriteArrayList<>();
  private final List<Supplier<List<String>>> warnings = new CopyOnWriteArrayList<>();

  /** Adds a reason why the node is not ready; empty while there is none. */
  public void need(Supplier<String> reasonAgainst) {
    needs.add(reasonAgainst);
  }

  /** Adds what operators should know of a node that is ready. */
  public void warnOf(Supplier<List<String>> more) {
    warnings.add(more);
  }

  @Override
  public String reasonAgainst() {
    return needs.stream()
        .map(Supplier::get)
        .filter(reason -> !reason.isEmpty())
        .findFirst()
        .orElse("");
  }

  @Override
  public List<String> warnings() {
    return warnings.stream().flatMap(each -> each.get().stream()).toList();
  }
}
