package dev.weir.engine.limits;

import dev.weir.core.limits.Limit;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * One or several asks that are granted together or not at all.
 *
 * @param asks each of another policy or another key
 * @param requestId an id by which the demand may be repeated, empty for none: a repeated demand
 *     that was granted is answered as before, and takes nothing
 * @param requestTtl for how long it is remembered
 */
public record Demand<L extends Limit>(
    List<Ask<? extends L>> asks, String requestId, Duration requestTtl) {
  /** So many asks, at most, are one demand. */
  public static final int MOST_ASKS = 32;

  public static final Duration DEFAULT_TTL = Duration.ofMinutes(10);

  public static final Duration LONGEST_TTL = Duration.ofDays(1);

  private static final String NO_ID = "";

  public Demand {
    asks = List.copyOf(asks);
    if (asks.isEmpty() || asks.size() > MOST_ASKS) {
      throw new IllegalArgumentException(
          "asks must be 1 to %d, not %d".formatted(MOST_ASKS, asks.size()));
    }
    requireDistinct(asks);
    if (!requestId.equals(NO_ID)) {
      LimitNames.require("requestId", requestId);
    }
    if (requestTtl.toMillis() < 1 || requestTtl.compareTo(LONGEST_TTL) > 0) {
      throw new IllegalArgumentException(
          "requestTtl must be from PT0.001S to %s, not %s".formatted(LONGEST_TTL, requestTtl));
    }
  }

  public static <L extends Limit> Demand<L> of(Ask<? extends L> ask) {
    return new Demand<>(List.of(ask), NO_ID, DEFAULT_TTL);
  }

  /** A demand of several asks, such as user, organisation and all together. */
  public static <L extends Limit> Demand<L> all(List<? extends Ask<? extends L>> asks) {
    return new Demand<>(List.copyOf(asks), NO_ID, DEFAULT_TTL);
  }

  /** The same demand, which may be repeated. */
  public Demand<L> withRequestId(String id) {
    return new Demand<>(asks, id, requestTtl);
  }

  public boolean isRepeatable() {
    return !requestId.equals(NO_ID);
  }

  private static <L extends Limit> void requireDistinct(List<Ask<? extends L>> asks) {
    if (asks.size() == 1) {
      return;
    }
    Set<List<String>> seen = new HashSet<>();
    for (Ask<? extends L> ask : asks) {
      if (!seen.add(List.of(ask.policy().name(), ask.key()))) {
        throw new IllegalArgumentException(
            "policy %s and key %s are asked twice in one demand"
                .formatted(ask.policy().name(), ask.key()));
      }
    }
  }
}
