package dev.weir.register;

import java.util.List;
import java.util.Optional;

/**
 * A store of versioned entries of one kind, append-only. The title of an entry is unique among the
 * existing entries. Implementations are thread-safe.
 *
 * @param <T> the content of an entry
 */
public interface Register<T, E extends Entry<T>> {
  /** Used in place of a version to match any version. */
  int ANY_VERSION = 0;

  /** The maximum number of versions, the newest ones, that are returned for an entry. */
  int MAX_VERSIONS = 1_000;

  /** Returns the maximum number of entries; it is bounded because every node holds all of them. */
  int maxEntries();

  /** Returns the title, which must be unique. */
  String title(T spec);

  /**
   * Creates an entry.
   *
   * @param changedBy who makes the change, for the history
   */
  Change<E> create(T spec, String changedBy);

  /**
   * Adds the next version of an entry.
   *
   * @param version the version that the caller considers current, or {@link #ANY_VERSION}
   */
  Change<E> change(long id, int version, T spec, String changedBy);

  /** Removes an entry. A persistent store keeps its versions. */
  Change<E> remove(long id, int version, String changedBy);

  Optional<E> find(long id);

  /** Returns the history of an entry, the newest version first; empty if it is unknown. */
  List<EntryVersion<E>> versions(long id);

  /** Returns all entries, ordered by id. */
  List<E> all();

  /** Returns true if {@code version} is not the current version. */
  static boolean isStale(Entry<?> current, int version) {
    return version != ANY_VERSION && version != current.version();
  }
}
