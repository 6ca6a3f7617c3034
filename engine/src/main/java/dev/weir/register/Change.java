package dev.weir.register;

import java.util.Optional;

/** The result of a request to change an entry. */
public sealed interface Change<E> {
  /**
   * The change was made.
   *
   * @param before the entry before the change, if there was one
   * @param entry the entry after the change; the last version if it was removed
   */
  record Done<E>(Optional<E> before, E entry) implements Change<E> {}

  /** The entry does not exist. */
  record Unknown<E>() implements Change<E> {}

  /** The entry has been changed in the meantime. */
  record Stale<E>(E current) implements Change<E> {}

  /** Another entry has the same title. */
  record Taken<E>() implements Change<E> {}

  /** There are already {@link Register#maxEntries} entries. */
  record TooMany<E>() implements Change<E> {}
}
