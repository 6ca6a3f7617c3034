package dev.weir.routes.internal;

import dev.weir.register.Entry;
import java.time.Instant;

/** A version of a route. */
public record Route(long id, int version, RouteSpec spec, Instant createdAt, Instant updatedAt)
    implements Entry<RouteSpec> {}
