package dev.weir.store.jdbc.limits;

import dev.weir.internal.Micros;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Decision;
import dev.weir.limits.Delayed;
import dev.weir.limits.Outcome;
import dev.weir.limits.RequestDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * A row of {@code limit_request}: a granted request that may be repeated.
 *
 * @param layout the fingerprint of the counters that it used
 */
record RememberedRequest(
    RequestDigest digest,
    long layout,
    UUID note,
    Instant decidedAt,
    List<Outcome> outcomes,
    long expiresAtMicros) {

  /** Returns what is remembered of a request that was granted now. */
  static RememberedRequest of(AcquireRequest request, AcquireResult granted) {
    return new RememberedRequest(
        request.binding().digest(),
        request.layout(),
        request.binding().note(),
        granted.decidedAt(),
        granted.outcomes(),
        Micros.ceil(granted.decidedAt()) + Micros.floor(request.requestTtl()));
  }

  /** Reads what {@link #numbers} has returned, or a function of PostgreSQL. */
  static RememberedRequest read(List<Long> numbers, long expiresAtMicros) {
    ResultReader reader = new ResultReader(numbers.toArray(Long[]::new));
    return new RememberedRequest(
        new RequestDigest(reader.next(), reader.next()),
        reader.next(),
        new UUID(reader.next(), reader.next()),
        Micros.instant(reader.next()),
        reader.outcomes(),
        expiresAtMicros);
  }

  List<Long> numbers() {
    List<Long> numbers =
        new ArrayList<>(
            List.of(
                digest.high(),
                digest.low(),
                layout,
                note.getMostSignificantBits(),
                note.getLeastSignificantBits(),
                Micros.ceil(decidedAt),
                (long) outcomes.size()));
    for (Outcome outcome : outcomes) {
      numbers.add(outcome.remaining());
      numbers.add(outcome.resetMicros());
      switch (outcome) {
        case Decision.Allowed allowed -> numbers.add(ResultReader.ALLOWED);
        case Decision.Refused refused -> numbers.add(refused.retryAfterMicros());
        case Delayed delayed ->
            numbers.addAll(
                List.of(ResultReader.WAITED_FOR, delayed.delayMicros(), (long) delayed.position()));
      }
    }
    return numbers;
  }

  boolean isKnownAt(long nowMicros) {
    return nowMicros < expiresAtMicros;
  }

  /** Returns true if the request id is bound to this request. */
  boolean isOf(AcquireRequest request) {
    return digest.equals(request.binding().digest());
  }

  /** Returns false if one of the rules has become another one since. */
  boolean isInPlaceOf(AcquireRequest request) {
    return layout == request.layout();
  }

  /** Returns the result for a request with the same id. */
  AcquireResult resultFor(AcquireRequest request, long nowMicros) {
    Instant now = Micros.instant(nowMicros);
    if (!isOf(request)) {
      return AcquireResult.reused(now);
    }
    List<Outcome> known = isInPlaceOf(request) ? outcomes : List.of();
    return new AcquireResult(known, decidedAt, AcquireResult.Mode.STORE).replayed(now, note);
  }
}
