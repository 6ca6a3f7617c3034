package dev.weir.engine.register;

import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Entries in memory, for one process: they are gone at its end, and what an entry was is gone with
 * the entry.
 */
public abstract class MemoryRegister<T, E extends Entry<T>> implements Register<T, E> {
  private final InstantSource clock;
  private final Entry.Making<T, E> making;

  /** The versions of each entry, the one in force first. */
  private final TreeMap<Long, Deque<EntryVersion<E>>> entries = new TreeMap<>();

  private long lastId;

  protected MemoryRegister(InstantSource clock, Entry.Making<T, E> making) {
    this.clock = clock;
    this.making = making;
  }

  @Override
  public final synchronized Change<E> create(T terms, String by) {
    if (entries.size() >= maxEntries()) {
      return new Change.TooMany<>();
    }
    if (isTaken(terms, 0)) {
      return new Change.Taken<>();
    }
    E entry = making.first(++lastId, terms, clock.instant());
    keep(entry, by);
    return new Change.Done<>(Optional.empty(), entry);
  }

  @Override
  public final synchronized Change<E> change(long id, int version, T terms, String by) {
    Optional<E> before = find(id);
    if (before.isEmpty()) {
      return new Change.Unknown<>();
    }
    if (Register.isStale(before.get(), version)) {
      return new Change.Stale<>(before.get());
    }
    if (isTaken(terms, id)) {
      return new Change.Taken<>();
    }
    E next = making.next(before.get(), terms, clock.instant());
    keep(next, by);
    return new Change.Done<>(before, next);
  }

  @Override
  public final synchronized Change<E> remove(long id, int version, String by) {
    Optional<E> before = find(id);
    if (before.isEmpty()) {
      return new Change.Unknown<>();
    }
    if (Register.isStale(before.get(), version)) {
      return new Change.Stale<>(before.get());
    }
    entries.remove(id);
    return new Change.Done<>(before, before.get());
  }

  @Override
  public final synchronized Optional<E> find(long id) {
    return Optional.ofNullable(entries.get(id)).map(versions -> versions.getFirst().entry());
  }

  @Override
  public final synchronized List<EntryVersion<E>> versions(long id) {
    return List.copyOf(entries.getOrDefault(id, new ArrayDeque<>()));
  }

  @Override
  public final synchronized List<E> all() {
    return entries.values().stream().map(versions -> versions.getFirst().entry()).toList();
  }

  private void keep(E entry, String by) {
    Deque<EntryVersion<E>> versions =
        entries.computeIfAbsent(entry.id(), absent -> new ArrayDeque<>());
    versions.addFirst(new EntryVersion<>(entry, by, false));
    if (versions.size() > MOST_VERSIONS) {
      versions.removeLast();
    }
  }

  private boolean isTaken(T terms, long own) {
    return all().stream()
        .anyMatch(other -> other.id() != own && title(other.terms()).equals(title(terms)));
  }
}
