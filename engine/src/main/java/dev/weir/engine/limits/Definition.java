package dev.weir.engine.limits;

import java.time.Instant;

/** What holds for one resource, as it is kept. */
public record Definition<L>(String resource, L limit, Instant createdAt, Instant updatedAt) {}
