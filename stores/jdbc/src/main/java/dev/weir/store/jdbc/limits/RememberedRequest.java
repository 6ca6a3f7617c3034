package dev.weir.store.jdbc.limits;

import dev.weir.core.Micros;
import dev.weir.core.limits.Outcome;
import dev.weir.engine.limits.AcquireRequest;
import dev.weir.engine.limits.AcquireResult;
import dev.weir.engine.limits.RequestDigest;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * A row of {@code limit_request}.
 *
 * @param nowMicros when it was read
 */
record RememberedRequest(long nowMicros, long expiresAtMicros, List<Long> answer) {
  /** What is said to a demand with its id; nothing if its time is over. */
  Optional<AcquireResult> answerTo(AcquireRequest demand) {
    if (expiresAtMicros <= nowMicros) {
      return Optional.empty();
    }
    Instant now = Micros.instant(nowMicros);
    ResultReader reader = new ResultReader(answer.toArray(Long[]::new));
    RequestDigest digest = new RequestDigest(reader.next(), reader.next());
    boolean isInPlace = reader.next() == demand.layout();
    UUID note = new UUID(reader.next(), reader.next());
    Instant decidedAt = Micros.instant(reader.next());
    List<Outcome> outcomes = isInPlace ? reader.outcomes() : List.of();
    return Optional.of(
        digest.equals(demand.request().digest())
            ? new AcquireResult(outcomes, decidedAt, AcquireResult.Mode.STORE).replayed(now, note)
            : AcquireResult.reused(now));
  }
}
