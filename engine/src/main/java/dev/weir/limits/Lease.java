package dev.weir.limits;

/** Places that a holder occupies until it releases them or until the lease expires. */
public record Lease(String id, int places, long expiresAtMicros) {}
