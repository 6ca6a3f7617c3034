package dev.weir.limits;

import dev.weir.internal.LimitNames;
import java.time.Duration;
import java.util.UUID;

/**
 * A request id and the request that it is bound to.
 *
 * @param id the request id; empty for none
 * @param ttl the time for which a grant is remembered
 * @param digest the digest of the request; the same id with another digest is rejected as {@link
 *     AcquireResult.Repetition.Reused}
 * @param note remembered with the grant: a repeated request is answered with the note of the first
 */
public record RequestBinding(String id, Duration ttl, RequestDigest digest, UUID note) {
  public static final Duration DEFAULT_TTL = Duration.ofMinutes(10);

  public static final Duration MAX_TTL = Duration.ofDays(1);

  public static final UUID NO_NOTE = new UUID(0, 0);

  /** No id: the request cannot be repeated. */
  public static final RequestBinding NONE =
      new RequestBinding("", DEFAULT_TTL, RequestDigest.NONE, NO_NOTE);

  public RequestBinding {
    if (!id.isEmpty()) {
      LimitNames.require("requestId", id);
    }
    if (ttl.toMillis() < 1 || ttl.compareTo(MAX_TTL) > 0) {
      throw new IllegalArgumentException(
          "requestTtl must be from PT0.001S to %s, not %s".formatted(MAX_TTL, ttl));
    }
  }

  public boolean isPresent() {
    return !id.isEmpty();
  }
}
