package dev.weir.store.jdbc.limits;

import dev.weir.internal.Micros;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Outcome;
import dev.weir.limits.RequestDigest;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * A row of {@code limit_request}.
 *
 * @param nowMicros when the row was read
 */
record RememberedRequest(long nowMicros, long expiresAtMicros, List<Long> result) {
  /** Returns the result for a request with the same id; empty if the row has expired. */
  Optional<AcquireResult> resultFor(AcquireRequest request) {
    if (expiresAtMicros <= nowMicros) {
      return Optional.empty();
    }
    Instant now = Micros.instant(nowMicros);
    ResultReader reader = new ResultReader(result.toArray(Long[]::new));
    RequestDigest digest = new RequestDigest(reader.next(), reader.next());
    boolean isInPlace = reader.next() == request.layout();
    UUID note = new UUID(reader.next(), reader.next());
    Instant decidedAt = Micros.instant(reader.next());
    List<Outcome> outcomes = isInPlace ? reader.outcomes() : List.of();
    return Optional.of(
        digest.equals(request.binding().digest())
            ? new AcquireResult(outcomes, decidedAt, AcquireResult.Mode.STORE).replayed(now, note)
            : AcquireResult.reused(now));
  }
}
