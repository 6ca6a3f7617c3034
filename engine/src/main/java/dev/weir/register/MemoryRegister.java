package dev.weir.register;

import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * An in-memory register. Its contents are lost when the process ends, and the versions of an entry
 * are removed with the entry, except for the latest one of the titles that were removed last.
 * Thread-safe.
 */
public abstract class MemoryRegister<T, E extends Entry<T>> implements Register<T, E> {
  private final InstantSource clock;
  private final Entry.Factory<T, E> factory;

  /** The versions of each entry, the current one first. */
  private final TreeMap<Long, Deque<EntryVersion<E>>> entries = new TreeMap<>();

  /** The past of titles that were removed; the eldest are left out and merged. */
  private final LinkedHashMap<String, TitlePast> removed = new LinkedHashMap<>();

  private TitlePast leftOut = TitlePast.NONE;
  private long lastId;

  protected MemoryRegister(InstantSource clock, Entry.Factory<T, E> factory) {
    this.clock = clock;
    this.factory = factory;
  }

  @Override
  public final synchronized Change<E> create(T spec, String changedBy) {
    if (entries.size() >= maxEntries()) {
      return new Change.TooMany<>();
    }
    if (isTitleTaken(spec, 0)) {
      return new Change.Taken<>();
    }
    E entry = factory.first(++lastId, spec, past(title(spec)), clock.instant());
    keep(entry, changedBy);
    return new Change.Done<>(Optional.empty(), entry);
  }

  @Override
  public final synchronized Change<E> change(long id, int version, T spec, String changedBy) {
    Optional<E> before = find(id);
    if (before.isEmpty()) {
      return new Change.Unknown<>();
    }
    if (Register.isStale(before.get(), version)) {
      return new Change.Stale<>(before.get());
    }
    if (isTitleTaken(spec, id)) {
      return new Change.Taken<>();
    }
    boolean isSameTitle = title(spec).equals(title(before.get().spec()));
    TitlePast past = isSameTitle ? TitlePast.NONE : past(title(spec));
    E next = factory.next(before.get(), spec, past, clock.instant());
    keep(next, changedBy);
    if (!isSameTitle) {
      leave(before.get());
    }
    return new Change.Done<>(before, next);
  }

  @Override
  public final synchronized Change<E> remove(long id, int version, String changedBy) {
    Optional<E> before = find(id);
    if (before.isEmpty()) {
      return new Change.Unknown<>();
    }
    if (Register.isStale(before.get(), version)) {
      return new Change.Stale<>(before.get());
    }
    E last = factory.next(before.get(), before.get().spec(), TitlePast.NONE, clock.instant());
    entries.remove(id);
    leave(last);
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

  private void keep(E entry, String changedBy) {
    Deque<EntryVersion<E>> versions =
        entries.computeIfAbsent(entry.id(), absent -> new ArrayDeque<>());
    versions.addFirst(new EntryVersion<>(entry, changedBy, false));
    if (versions.size() > MAX_VERSIONS) {
      versions.removeLast();
    }
  }

  /** Remembers the last version of an entry that no longer has its title. */
  private void leave(E last) {
    String title = title(last.spec());
    TitlePast past = TitlePast.later(past(title), new TitlePast(last.version(), last.updatedAt()));
    removed.remove(title);
    removed.put(title, past);
    if (removed.size() > maxEntries()) {
      leftOut = TitlePast.later(leftOut, removed.pollFirstEntry().getValue());
    }
  }

  private TitlePast past(String title) {
    return removed.getOrDefault(title, leftOut);
  }

  private boolean isTitleTaken(T spec, long own) {
    return all().stream()
        .anyMatch(other -> other.id() != own && title(other.spec()).equals(title(spec)));
  }
}
