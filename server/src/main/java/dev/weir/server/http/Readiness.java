package dev.weir.server.http;

/** Whether this node may be used, while it is not on its way out. */
@FunctionalInterface
public interface Readiness {
  /** Why it may not be used now; empty if it may. */
  String reasonAgainst();
}
