package dev.weir.spring.internal.gate;

import dev.weir.rules.Ticket;
import dev.weir.rules.matching.Request;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Decides whether a request may pass: by rules of this service, or by a remote Weir. Thread-safe.
 */
public interface Gate {
  /**
   * Decides about a request. The future always completes, and the ticket of its result must be
   * passed to {@code end}.
   */
  CompletableFuture<Admission> admit(Request request);

  /** Ends a request that is complete or was abandoned. Idempotent. */
  void end(Ticket ticket);

  /**
   * Ends a request that is complete or was abandoned, perhaps before it was decided: then its
   * ticket is closed as soon as there is one. Idempotent.
   */
  void leave(CompletableFuture<Admission> decision);

  /** Returns a gate that waits for stores on these threads rather than on the caller's thread. */
  Gate on(Executor threads);

  /** Returns the state of this gate, for health checks. May wait for a store. */
  Status status();

  /**
   * The state of a gate.
   *
   * @param details the store or server that decides, and the number of rules
   * @param problem why no decision is possible; empty if it is
   */
  record Status(Map<String, Object> details, String problem) {}
}
