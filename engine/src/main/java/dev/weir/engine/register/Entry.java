package dev.weir.engine.register;

import java.time.Instant;

/**
 * Something that people define, as it is kept.
 *
 * @param <T> what they say of it
 */
public interface Entry<T> {
  long id();

  /** Goes up with each change; a change names the version that it knows. */
  int version();

  T terms();

  Instant createdAt();

  /** When this version was made. */
  Instant updatedAt();

  /** How an entry is made of its parts. */
  @FunctionalInterface
  interface Making<T, E extends Entry<T>> {
    E make(long id, int version, T terms, Instant createdAt, Instant updatedAt);

    default E first(long id, T terms, Instant now) {
      return make(id, 1, terms, now, now);
    }

    default E next(E before, T terms, Instant now) {
      return make(before.id(), before.version() + 1, terms, before.createdAt(), now);
    }
  }
}
