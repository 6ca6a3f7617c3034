package dev.weir.engine.limits;

import dev.weir.core.limits.Delayed;
import dev.weir.core.limits.Outcome;
import dev.weir.engine.limits.memory.MemoryLimitStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One or several asks that are granted together or not at all.
 *
 * @param asks each of another policy or another key; none only with a request id, to remember it
 * @param waits the asks, by index, that are waited for in a queue: nothing is taken of their
 *     limits, and they are answered and remembered as they are here
 * @param request by which the demand may be repeated: a repeated demand that was granted is
 *     answered as before, and takes nothing
 */
public record AcquireRequest(
    List<LimitRequest> asks, Map<Integer, Delayed> waits, RequestBinding request) {
  /** The maximum number of asks in a demand. */
  public static final int MOST_ASKS = 32;

  public static final Duration DEFAULT_TTL = RequestBinding.DEFAULT_TTL;

  public static final Duration LONGEST_TTL = RequestBinding.LONGEST_TTL;

  public AcquireRequest {
    asks = List.copyOf(asks);
    waits = Map.copyOf(waits);
    if ((asks.isEmpty() && !request.isPresent()) || asks.size() > MOST_ASKS) {
      throw new IllegalArgumentException(
          "asks must be 1 to %d, not %d".formatted(MOST_ASKS, asks.size()));
    }
    requireDistinct(asks);
  }

  /** A demand whose request id, if it is not empty, belongs to its asks. */
  public AcquireRequest(List<LimitRequest> asks, String requestId, Duration requestTtl) {
    this(asks, Map.of(), binding(asks, requestId, requestTtl));
  }

  public static AcquireRequest of(LimitRequest ask) {
    return new AcquireRequest(List.of(ask), Map.of(), RequestBinding.NONE);
  }

  /** A demand of several asks, such as user, organisation and all together. */
  public static AcquireRequest all(List<LimitRequest> asks) {
    return new AcquireRequest(List.copyOf(asks), Map.of(), RequestBinding.NONE);
  }

  /** The same demand, which may be repeated. */
  public AcquireRequest withRequestId(String id) {
    return new AcquireRequest(asks, waits, binding(asks, id, requestTtl()));
  }

  private static RequestBinding binding(List<LimitRequest> asks, String id, Duration ttl) {
    return new RequestBinding(
        id, ttl, id.isEmpty() ? RequestDigest.NONE : digest(asks), RequestBinding.NO_NOTE);
  }

  private static RequestDigest digest(List<LimitRequest> asks) {
    List<RequestDigest.Part> parts = new ArrayList<>(asks.size());
    for (LimitRequest ask : asks) {
      parts.add(new RequestDigest.Part(ask.policy().name(), ask.key(), ask.cost()));
    }
    return RequestDigest.of(parts);
  }

  public String requestId() {
    return request.id();
  }

  public Duration requestTtl() {
    return request.ttl();
  }

  public boolean isRepeatable() {
    return request.isPresent();
  }

  /** Whether an ask is waited for. */
  public boolean isWaiting(int index) {
    return !waits.isEmpty() && waits.containsKey(index);
  }

  /** The asks whose limits are taken from. */
  public List<LimitRequest> taking() {
    if (waits.isEmpty()) {
      return asks;
    }
    List<LimitRequest> taking = new ArrayList<>(asks.size());
    for (int i = 0; i < asks.size(); i++) {
      if (!isWaiting(i)) {
        taking.add(asks.get(i));
      }
    }
    return taking;
  }

  /** The outcomes of all asks, from those about the asks that are {@link #taking}. */
  public List<Outcome> merged(List<? extends Outcome> ofTaking) {
    if (waits.isEmpty()) {
      return List.copyOf(ofTaking);
    }
    List<Outcome> outcomes = new ArrayList<>(asks.size());
    int taken = 0;
    for (int i = 0; i < asks.size(); i++) {
      Delayed wait = waits.get(i);
      outcomes.add(wait == null ? ofTaking.get(taken++) : wait);
    }
    return outcomes;
  }

  /**
   * The demand as it was granted: asks that were waited for are marked, also if this demand does
   * not say so. Asks that only this demand says were waited for stay so, and give nothing back.
   */
  public AcquireRequest grantedAs(List<Outcome> outcomes) {
    Map<Integer, Delayed> waited = new HashMap<>(waits);
    for (int i = 0; i < outcomes.size(); i++) {
      if (outcomes.get(i) instanceof Delayed delayed) {
        waited.put(i, delayed);
      }
    }
    return new AcquireRequest(asks, waited, request);
  }

  /**
   * Identifies the usages that the asks count in. While a request is remembered, one of its rules
   * may become active, inactive or another kind of limit; then its decisions are no longer those of
   * the asks, and what it took is no longer where the asks point.
   */
  public long layout() {
    long layout = asks.size();
    for (LimitRequest ask : asks) {
      layout = 31 * layout + MemoryLimitStore.kind(ask.policy().limit());
      layout = 31 * layout + ask.policy().name().hashCode();
      layout = 31 * layout + ask.key().hashCode();
    }
    return layout;
  }

  private static void requireDistinct(List<LimitRequest> asks) {
    if (asks.size() <= 1) {
      return;
    }
    Set<List<String>> seen = new HashSet<>();
    for (LimitRequest ask : asks) {
      if (!seen.add(List.of(ask.policy().name(), ask.key()))) {
        throw new IllegalArgumentException(
            "policy %s and key %s are asked twice in one demand"
                .formatted(ask.policy().name(), ask.key()));
      }
    }
  }
}
