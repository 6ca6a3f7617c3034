package dev.weir.engine.limits;

import java.time.Duration;
import java.util.UUID;

/**
 * The request id of a demand, and the request that it belongs to.
 *
 * @param id empty for none
 * @param ttl for how long a grant is remembered
 * @param digest of the request; the same id with another digest is refused as {@link
 *     AcquireResult.Repetition.Reused}
 * @param note remembered with the grant: a repeated demand is answered with the note of the first
 */
public record RequestBinding(String id, Duration ttl, RequestDigest digest, UUID note) {
  public static final Duration DEFAULT_TTL = Duration.ofMinutes(10);

  public static final Duration LONGEST_TTL = Duration.ofDays(1);

  public static final UUID NO_NOTE = new UUID(0, 0);

  /** Without an id a demand cannot be repeated. */
  public static final RequestBinding NONE =
      new RequestBinding("", DEFAULT_TTL, RequestDigest.NONE, NO_NOTE);

  public RequestBinding {
    if (!id.isEmpty()) {
      LimitNames.require("requestId", id);
    }
    if (ttl.toMillis() < 1 || ttl.compareTo(LONGEST_TTL) > 0) {
      throw new IllegalArgumentException(
          "requestTtl must be from PT0.001S to %s, not %s".formatted(LONGEST_TTL, ttl));
    }
  }

  public boolean isPresent() {
    return !id.isEmpty();
  }
}
