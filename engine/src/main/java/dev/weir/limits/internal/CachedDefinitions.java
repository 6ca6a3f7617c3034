package dev.weir.limits.internal;

import dev.weir.internal.ExpiringCache;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Definitions that this node has read or made, cached for a limited time. Thread-safe. */
public final class CachedDefinitions<L> implements Definitions<L> {
  private final Definitions<L> definitions;
  private final ExpiringCache<Definition<L>> cache;

  public CachedDefinitions(Definitions<L> definitions, Duration ttl, LongSupplier nanoTime) {
    this.definitions = definitions;
    this.cache = new ExpiringCache<>(definitions::find, ttl, nanoTime);
  }

  /**
   * Defines a resource and removes it from the cache, so that the next caller on this node sees the
   * new definition. Other nodes are notified by the store.
   */
  @Override
  public Definition<L> define(String resource, L limit) {
    Definition<L> defined = definitions.define(resource, limit);
    cache.forget(resource);
    return defined;
  }

  @Override
  public Optional<Definition<L>> find(String resource) {
    return cache.find(resource);
  }

  @Override
  public Optional<Definition<L>> findLatest(String resource) {
    return definitions.findLatest(resource);
  }

  @Override
  public boolean remove(String resource) {
    boolean removed = definitions.remove(resource);
    cache.forget(resource);
    return removed;
  }

  /** Removes one definition from the cache, because it has changed. */
  public void forget(String resource) {
    cache.forget(resource);
  }

  /** Removes all definitions from the cache. */
  public void flush() {
    cache.flush();
  }
}
