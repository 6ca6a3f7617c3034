package dev.weir.engine.limits;

import java.util.Optional;

/**
 * The port to where it is kept what holds for which resource. Thread-safe.
 *
 * @param <L> the kind of limit
 */
public interface Definitions<L> {
  /** Defines a resource, or defines it anew. */
  Definition<L> define(String resource, L limit);

  Optional<Definition<L>> find(String resource);

  /** Removes a definition; false if there is none. */
  boolean remove(String resource);
}
