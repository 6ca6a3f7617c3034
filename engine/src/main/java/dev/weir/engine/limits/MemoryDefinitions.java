package dev.weir.engine.limits;

import dev.weir.engine.StoreException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Definitions in memory, for one process: they are gone at its end. */
public final class MemoryDefinitions<L> implements Definitions<L> {
  private final InstantSource clock;
  private final int most;
  private final Map<String, Defined<L>> byResource = new HashMap<>();

  /**
   * @param most so many are kept
   */
  public MemoryDefinitions(InstantSource clock, int most) {
    this.clock = clock;
    this.most = most;
  }

  @Override
  public synchronized Defined<L> define(String resource, L limit) {
    LimitNames.require("resource", resource);
    Instant now = clock.instant();
    Optional<Defined<L>> before = find(resource);
    if (before.isEmpty() && byResource.size() >= most) {
      throw new StoreException(
          StoreException.Outcome.NONE, "overloaded: more than " + most + " resources are defined");
    }
    Defined<L> defined =
        new Defined<>(resource, limit, before.map(Defined::createdAt).orElse(now), now);
    byResource.put(resource, defined);
    return defined;
  }

  @Override
  public synchronized Optional<Defined<L>> find(String resource) {
    return Optional.ofNullable(byResource.get(resource));
  }

  @Override
  public synchronized boolean remove(String resource) {
    return byResource.remove(resource) != null;
  }
}
