package dev.weir.limits.internal;

import dev.weir.StoreException;
import dev.weir.internal.LimitNames;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** In-memory definitions, which are lost when the process ends. Thread-safe. */
public final class MemoryDefinitions<L> implements Definitions<L> {
  private final InstantSource clock;
  private final int max;
  private final Map<String, Definition<L>> byResource = new HashMap<>();

  /**
   * Creates an empty store of definitions.
   *
   * @param max the maximum number of resources
   */
  public MemoryDefinitions(InstantSource clock, int max) {
    this.clock = clock;
    this.max = max;
  }

  @Override
  public synchronized Definition<L> define(String resource, L limit) {
    LimitNames.require("resource", resource);
    Instant now = clock.instant();
    Optional<Definition<L>> before = find(resource);
    if (before.isEmpty() && byResource.size() >= max) {
      throw StoreException.full("full: %d resources are defined".formatted(max));
    }
    Definition<L> defined =
        before
            .map(former -> former.next(limit, now))
            .orElseGet(() -> new Definition<>(resource, limit, now, now, Definition.NEVER_LONGER));
    byResource.put(resource, defined);
    return defined;
  }

  @Override
  public synchronized Optional<Definition<L>> find(String resource) {
    return Optional.ofNullable(byResource.get(resource));
  }

  @Override
  public synchronized boolean remove(String resource) {
    return byResource.remove(resource) != null;
  }
}
