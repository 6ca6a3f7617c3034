package dev.weir.store.jdbc;

import dev.weir.core.Micros;
import dev.weir.core.limits.Decision;
import dev.weir.engine.limits.Answer;
import dev.weir.engine.limits.Demand;
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
  Optional<Answer> answerTo(Demand<?> demand) {
    if (expiresAtMicros <= nowMicros) {
      return Optional.empty();
    }
    Instant now = Micros.instant(nowMicros);
    AnswerReader reader = new AnswerReader(answer.toArray(Long[]::new));
    RequestDigest digest = new RequestDigest(reader.next(), reader.next());
    boolean isInPlace = reader.next() == demand.layout();
    UUID note = new UUID(reader.next(), reader.next());
    Instant decidedAt = Micros.instant(reader.next());
    List<Decision> decisions = isInPlace ? reader.decisions() : List.of();
    return Optional.of(
        digest.equals(demand.request().digest())
            ? new Answer(decisions, decidedAt, Answer.Mode.STORE).replayed(now, note)
            : Answer.reused(now));
  }
}
