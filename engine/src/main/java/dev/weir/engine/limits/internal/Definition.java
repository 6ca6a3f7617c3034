package dev.weir.engine.limits.internal;

import java.time.Instant;

/** The limit that is defined for a resource. */
public record Definition<L>(String resource, L limit, Instant createdAt, Instant updatedAt) {}
