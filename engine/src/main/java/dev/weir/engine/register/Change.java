package dev.weir.engine.register;

import java.util.Optional;

/** What became of the wish to change an entry. */
public sealed interface Change<E> {
  /**
   * It was done.
   *
   * @param before the entry as it was, if there was one
   * @param entry the entry as it is, or as it was last if it was removed
   */
  record Done<E>(Optional<E> before, E entry) implements Change<E> {}

  /** There is no such entry. */
  record Unknown<E>() implements Change<E> {}

  /** Somebody else has changed it meanwhile. */
  record Stale<E>(E current) implements Change<E> {}

  /** Another entry has the title. */
  record Taken<E>() implements Change<E> {}

  /** There are {@link Register#most} entries. */
  record TooMany<E>() implements Change<E> {}
}
