package dev.weir.engine.limits;

import dev.weir.engine.ExpiringCache;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Definitions that this node has read or made, for a short time. Thread-safe. */
public final class CachedDefinitions<L> implements Definitions<L> {
  private final Definitions<L> definitions;
  private final ExpiringCache<Definition<L>> recent;

  public CachedDefinitions(Definitions<L> definitions, Duration ttl, LongSupplier nanoTime) {
    this.definitions = definitions;
    this.recent = new ExpiringCache<>(definitions::find, ttl, nanoTime);
  }

  /** Other nodes are told by the store; who asks this one next must not see the old definition. */
  @Override
  public Definition<L> define(String resource, L limit) {
    Definition<L> defined = definitions.define(resource, limit);
    recent.forget(resource);
    return defined;
  }

  @Override
  public Optional<Definition<L>> find(String resource) {
    return recent.find(resource);
  }

  @Override
  public boolean remove(String resource) {
    boolean removed = definitions.remove(resource);
    recent.forget(resource);
    return removed;
  }

  /** Drops one definition, because it has changed. */
  public void forget(String resource) {
    recent.forget(resource);
  }

  /** Drops everything. */
  public void flush() {
    recent.flush();
  }
}
