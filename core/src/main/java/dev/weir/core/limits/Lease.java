package dev.weir.core.limits;

/** Places that somebody holds until they are released, or until the lease ends by itself. */
public record Lease(String id, int places, long expiresAtMicros) {}
