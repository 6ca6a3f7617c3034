package dev.weir.register;

import java.time.Instant;

/**
 * A versioned definition, such as a rule or a route.
 *
 * @param <T> its content
 */
public interface Entry<T> {
  long id();

  /**
   * Returns the version, which increases with each change. A change names the version that it is
   * based on.
   */
  int version();

  /** Returns the content of this version. */
  T spec();

  Instant createdAt();

  /** Returns the time at which this version was created. */
  Instant updatedAt();

  /** Creates an entry from its parts. */
  @FunctionalInterface
  interface Factory<T, E extends Entry<T>> {
    E create(long id, int version, T spec, Instant createdAt, Instant updatedAt);

    default E first(long id, T spec, Instant now) {
      return create(id, 1, spec, now, now);
    }

    default E next(E before, T spec, Instant now) {
      return create(before.id(), before.version() + 1, spec, before.createdAt(), now);
    }
  }
}
