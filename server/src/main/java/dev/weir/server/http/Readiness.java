package dev.weir.server.http;

/** Reports whether this node is ready for requests, apart from draining. */
@FunctionalInterface
public interface Readiness {
  /** Returns why this node is not ready; empty if it is. */
  String reasonAgainst();
}
