package dev.weir.limits.internal;

import java.util.Optional;

/**
 * A store of limits by resource. Implementations are thread-safe.
 *
 * @param <L> the kind of limit
 */
public interface Definitions<L> {
  /** Defines the limit of a resource, or replaces it. */
  Definition<L> define(String resource, L limit);

  Optional<Definition<L>> find(String resource);

  /** Returns the definition that is in force, even if this node has cached another one. */
  default Optional<Definition<L>> findLatest(String resource) {
    return find(resource);
  }

  /** Removes a definition. Returns false if there is none. */
  boolean remove(String resource);
}
