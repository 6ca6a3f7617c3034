package dev.weir.store.surrealdb;

import dev.weir.internal.Micros;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Delayed;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Outcome;
import dev.weir.limits.RequestDigest;
import dev.weir.limits.TokenBucket;
import dev.weir.limits.Usage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * A record of {@code limit_request}. It has the usages before the grant and the numbers of the
 * parts, from which core calculates the same outcomes again.
 */
record RememberedRequest(Value row) {
  /** Numbers of each part: whether it took tokens, and four more. */
  private static final int NUMBERS = 5;

  private static final int USAGE_NUMBERS = 3;
  private static final long TAKES = 1;

  /** Returns the numbers of all parts of a request that is granted. */
  static List<Long> memo(AcquireRequest request) {
    List<Long> numbers = new ArrayList<>(NUMBERS * request.parts().size());
    for (int i = 0; i < request.parts().size(); i++) {
      Delayed wait = request.delays().get(i);
      numbers.addAll(wait == null ? numbers(request.parts().get(i)) : LimitStep.numbers(wait));
    }
    return numbers;
  }

  private static List<Long> numbers(LimitRequest part) {
    TokenBucket bucket = LimitStep.bucket(part.policy());
    return List.of(
        TAKES, bucket.capacity(), bucket.refillTokens(), bucket.refillMicros(), part.cost());
  }

  /** Returns the result for a request with the same id. */
  AcquireResult resultFor(AcquireRequest request, Instant now) {
    long[] digest = row.get("digest").numbers();
    if (!new RequestDigest(digest[0], digest[1]).equals(request.binding().digest())) {
      return AcquireResult.reused(now);
    }
    long decidedAt = row.get("decided_at").number();
    // Otherwise the rules have changed since, and the outcomes do not belong to these parts.
    boolean isInPlace = row.get("layout").number() == request.layout();
    long[] note = row.get("note").numbers();
    return new AcquireResult(
            isInPlace ? outcomes(decidedAt) : List.of(),
            Micros.instant(decidedAt),
            AcquireResult.Mode.STORE)
        .replayed(now, new UUID(note[0], note[1]));
  }

  private List<Outcome> outcomes(long decidedAtMicros) {
    long[] parts = row.get("parts").numbers();
    long[] usages = row.get("usages").numbers();
    List<Outcome> outcomes = new ArrayList<>(parts.length / NUMBERS);
    int usage = 0;
    for (int i = 0; i < parts.length; i += NUMBERS) {
      if (parts[i] == TAKES) {
        TokenBucket bucket = new TokenBucket(parts[i + 1], parts[i + 2], parts[i + 3]);
        outcomes.add(bucket.decide(usage(usages, usage), parts[i + 4], decidedAtMicros).decision());
        usage += USAGE_NUMBERS;
      } else {
        outcomes.add(
            new Delayed(parts[i + 1], parts[i + 2], parts[i + 3], Math.toIntExact(parts[i + 4])));
      }
    }
    return outcomes;
  }

  /** Reads a settled usage: its time, its debt and the units of a token. */
  private static Usage usage(long[] numbers, int from) {
    return new Usage(numbers[from], numbers[from + 1], 0, numbers[from + 2]);
  }
}
