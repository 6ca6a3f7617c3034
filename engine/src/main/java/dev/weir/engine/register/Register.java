package dev.weir.engine.register;

import java.util.List;
import java.util.Optional;

/**
 * The port to where entries of one kind are kept: versions, append-only. Each entry has a title
 * that no other has while it is there. Thread-safe.
 *
 * @param <T> what people say of an entry
 */
public interface Register<T, E extends Entry<T>> {
  /** In place of a version: whichever it is. */
  int ANY_VERSION = 0;

  /** So many versions of an entry, the newest, are told of. */
  int MOST_VERSIONS = 1_000;

  /** So many entries, at most, are kept: every node holds all of them. */
  int maxEntries();

  /** What no other entry may have. */
  String title(T terms);

  /**
   * Makes an entry.
   *
   * @param by who does so, for the record
   */
  Change<E> create(T terms, String by);

  /**
   * Makes these terms the next version of an entry.
   *
   * @param version what the caller takes for the version in force, or {@link #ANY_VERSION}
   */
  Change<E> change(long id, int version, T terms, String by);

  /** Removes an entry; a store that outlives the process keeps its versions. */
  Change<E> remove(long id, int version, String by);

  Optional<E> find(long id);

  /** How an entry came to be what it is, the newest version first; empty if it is not known. */
  List<EntryVersion<E>> versions(long id);

  /** All entries, by id. */
  List<E> all();

  /** Whether who takes this version for the one in force is mistaken. */
  static boolean isStale(Entry<?> current, int version) {
    return version != ANY_VERSION && version != current.version();
  }
}
