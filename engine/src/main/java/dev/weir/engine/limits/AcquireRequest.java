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
 * A request for units of one or several limits that is granted as a whole or not at all.
 *
 * @param asks the parts, each with a different policy or key; may be empty only with a request id,
 *     which is then remembered
 * @param waits the parts, by index, that wait in a queue: nothing is taken from their limits, and
 *     their outcomes are returned and remembered as given here
 * @param request the request id by which the request may be repeated: if it was granted before, the
 *     same result is returned and nothing is taken
 */
public record AcquireRequest(
    List<LimitRequest> asks, Map<Integer, Delayed> waits, RequestBinding request) {
  /** The maximum number of parts of a request. */
  public static final int MAX_PARTS = 32;

  public static final Duration DEFAULT_TTL = RequestBinding.DEFAULT_TTL;

  public static final Duration MAX_TTL = RequestBinding.MAX_TTL;

  public AcquireRequest {
    asks = List.copyOf(asks);
    waits = Map.copyOf(waits);
    if ((asks.isEmpty() && !request.isPresent()) || asks.size() > MAX_PARTS) {
      throw new IllegalArgumentException(
          "asks must have 1 to %d parts, not %d".formatted(MAX_PARTS, asks.size()));
    }
    requireDistinct(asks);
  }

  /** Creates a request whose request id, if not empty, is bound to its parts. */
  public AcquireRequest(List<LimitRequest> asks, String requestId, Duration requestTtl) {
    this(asks, Map.of(), binding(asks, requestId, requestTtl));
  }

  public static AcquireRequest of(LimitRequest part) {
    return new AcquireRequest(List.of(part), Map.of(), RequestBinding.NONE);
  }

  /** Returns a request of several parts, such as a user, an organisation and a global limit. */
  public static AcquireRequest all(List<LimitRequest> asks) {
    return new AcquireRequest(List.copyOf(asks), Map.of(), RequestBinding.NONE);
  }

  /** Returns this request with an id by which it may be repeated. */
  public AcquireRequest withRequestId(String id) {
    return new AcquireRequest(asks, waits, binding(asks, id, requestTtl()));
  }

  private static RequestBinding binding(List<LimitRequest> asks, String id, Duration ttl) {
    return new RequestBinding(
        id, ttl, id.isEmpty() ? RequestDigest.NONE : digest(asks), RequestBinding.NO_NOTE);
  }

  private static RequestDigest digest(List<LimitRequest> asks) {
    List<RequestDigest.Part> parts = new ArrayList<>(asks.size());
    for (LimitRequest part : asks) {
      parts.add(new RequestDigest.Part(part.policy().name(), part.key(), part.cost()));
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

  /** Returns true if a part waits in a queue. */
  public boolean isWaiting(int index) {
    return !waits.isEmpty() && waits.containsKey(index);
  }

  /** Returns the parts that take units from their limits. */
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

  /** Returns the outcomes of all parts, given those of the parts that are {@link #taking}. */
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
   * Returns this request as it was granted: parts that waited then are marked as waiting, even if
   * this request does not say so. Parts that only this request marks as waiting remain so, and
   * nothing is given back for them.
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
   * Returns a fingerprint of the counters that the parts refer to. While a request is remembered,
   * one of its rules may become active, inactive or another kind of limit. Then the remembered
   * outcomes no longer correspond to the parts, and what was taken is no longer where the parts
   * point.
   */
  public long layout() {
    long layout = asks.size();
    for (LimitRequest part : asks) {
      layout = 31 * layout + MemoryLimitStore.kind(part.policy().limit());
      layout = 31 * layout + part.policy().name().hashCode();
      layout = 31 * layout + part.key().hashCode();
    }
    return layout;
  }

  private static void requireDistinct(List<LimitRequest> asks) {
    if (asks.size() <= 1) {
      return;
    }
    Set<List<String>> seen = new HashSet<>();
    for (LimitRequest part : asks) {
      if (!seen.add(List.of(part.policy().name(), part.key()))) {
        throw new IllegalArgumentException(
            "policy %s with key %s occurs twice in one request"
                .formatted(part.policy().name(), part.key()));
      }
    }
  }
}
