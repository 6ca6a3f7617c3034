package dev.weir.spring;

import dev.weir.engine.rules.Request;
import dev.weir.engine.rules.Ticket;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** Who says whether a request may pass: rules of this service, or a Weir elsewhere. Thread-safe. */
interface Gate {
  /** What is said; it always comes, and what a request was given has to be brought back. */
  CompletableFuture<Admission> ask(Request request);

  /** The request is over, or has left. Twice is harmless. */
  void over(Ticket ticket);

  /**
   * The same, but whatever waits for a store does so over there, and not on the caller's thread.
   */
  Gate on(Executor threads);

  /** How things stand, for whoever watches over this service. May wait for a store. */
  Standing standing();

  /**
   * How things stand.
   *
   * @param details who decides, by how many rules
   * @param trouble why nobody can decide, empty if somebody can
   */
  record Standing(Map<String, Object> details, String trouble) {}
}
