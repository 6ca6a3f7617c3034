package dev.weir.http.endpoints;

import java.util.List;

/** Reports whether this node is ready for requests, apart from draining. */
@FunctionalInterface
public interface Readiness {
  /** Returns why this node is not ready; empty if it is. */
  String reasonAgainst();

  /** Returns what does not work on this node, although it is ready for everything else. */
  default List<String> warnings() {
    return List.of();
  }
}
