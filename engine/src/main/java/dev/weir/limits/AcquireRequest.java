package dev.weir.limits;

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
 * @param parts the limits, each with a different policy or key; may be empty only with a request
 *     id, which is then remembered
 * @param delays the parts, by index, that wait in a queue: nothing is taken from their limits, and
 *     their outcomes are returned and remembered as given here
 * @param binding the request id by which the request may be repeated: if it was granted before, the
 *     same result is returned and nothing is taken
 */
public record AcquireRequest(
    List<LimitRequest> parts, Map<Integer, Delayed> delays, RequestBinding binding) {
  /** The maximum number of parts of a request: more than the rules that cover one request. */
  public static final int MAX_PARTS = 128;

  public static final Duration DEFAULT_TTL = RequestBinding.DEFAULT_TTL;

  public static final Duration MAX_TTL = RequestBinding.MAX_TTL;

  public AcquireRequest {
    parts = List.copyOf(parts);
    delays = Map.copyOf(delays);
    if ((parts.isEmpty() && !binding.isPresent()) || parts.size() > MAX_PARTS) {
      throw new IllegalArgumentException(
          "a request must have 1 to %d parts, not %d".formatted(MAX_PARTS, parts.size()));
    }
    requireDistinct(parts);
  }

  /** Creates a request whose request id, if not empty, is bound to its parts. */
  public AcquireRequest(List<LimitRequest> parts, String requestId, Duration requestTtl) {
    this(parts, Map.of(), bind(parts, requestId, requestTtl));
  }

  public static AcquireRequest of(LimitRequest part) {
    return new AcquireRequest(List.of(part), Map.of(), RequestBinding.NONE);
  }

  /** Returns a request of several parts, such as a user, an organisation and a global limit. */
  public static AcquireRequest all(List<LimitRequest> parts) {
    return new AcquireRequest(List.copyOf(parts), Map.of(), RequestBinding.NONE);
  }

  /** Returns a request of several parts, such as a user, an organisation and a global limit. */
  public static AcquireRequest all(LimitRequest... parts) {
    return all(List.of(parts));
  }

  /** Returns this request with an id by which it may be repeated. */
  public AcquireRequest withRequestId(String id) {
    return new AcquireRequest(parts, delays, bind(parts, id, requestTtl()));
  }

  private static RequestBinding bind(List<LimitRequest> parts, String id, Duration ttl) {
    return new RequestBinding(
        id, ttl, id.isEmpty() ? RequestDigest.NONE : digest(parts), RequestBinding.NO_NOTE);
  }

  private static RequestDigest digest(List<LimitRequest> parts) {
    List<RequestDigest.Part> digested = new ArrayList<>(parts.size());
    for (LimitRequest part : parts) {
      digested.add(new RequestDigest.Part(part.policy().name(), part.key(), part.cost()));
    }
    return RequestDigest.of(digested);
  }

  public String requestId() {
    return binding.id();
  }

  public Duration requestTtl() {
    return binding.ttl();
  }

  public boolean isRepeatable() {
    return binding.isPresent();
  }

  /** Returns true if a part waits in a queue. */
  public boolean isDelayed(int index) {
    return !delays.isEmpty() && delays.containsKey(index);
  }

  /** Returns the parts that take units from their limits. */
  public List<LimitRequest> takingParts() {
    if (delays.isEmpty()) {
      return parts;
    }
    List<LimitRequest> taking = new ArrayList<>(parts.size());
    for (int i = 0; i < parts.size(); i++) {
      if (!isDelayed(i)) {
        taking.add(parts.get(i));
      }
    }
    return taking;
  }

  /** Returns the outcomes of all parts, given those of the parts that are {@link #takingParts}. */
  public List<Outcome> merged(List<? extends Outcome> ofTaking) {
    if (delays.isEmpty()) {
      return List.copyOf(ofTaking);
    }
    List<Outcome> outcomes = new ArrayList<>(parts.size());
    int taken = 0;
    for (int i = 0; i < parts.size(); i++) {
      Delayed wait = delays.get(i);
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
    Map<Integer, Delayed> waited = new HashMap<>(delays);
    for (int i = 0; i < outcomes.size(); i++) {
      if (outcomes.get(i) instanceof Delayed delayed) {
        waited.put(i, delayed);
      }
    }
    return new AcquireRequest(parts, waited, binding);
  }

  /**
   * Returns a fingerprint of the counters that the parts refer to. While a request is remembered,
   * one of its rules may become active, inactive or another kind of limit. Then the remembered
   * outcomes no longer correspond to the parts, and what was taken is no longer where the parts
   * point. Part of it is the rate of a bucket, because how much of a grant was refilled is not
   * known once the rate has changed; a window knows it.
   */
  public long layout() {
    long layout = parts.size();
    for (LimitRequest part : parts) {
      layout = 31 * layout + part.policy().limit().kind();
      layout = 31 * layout + part.policy().name().hashCode();
      layout = 31 * layout + part.key().hashCode();
      if (part.policy().limit() instanceof TokenBucket bucket) {
        layout = 31 * layout + Long.hashCode(bucket.refillTokens());
        layout = 31 * layout + Long.hashCode(bucket.refillMicros());
      }
    }
    return layout;
  }

  private static void requireDistinct(List<LimitRequest> parts) {
    if (parts.size() <= 1) {
      return;
    }
    Set<List<String>> seen = new HashSet<>();
    for (LimitRequest part : parts) {
      if (!seen.add(List.of(part.policy().name(), part.key()))) {
        throw new IllegalArgumentException(
            "policy %s with key %s occurs twice in one request"
                .formatted(part.policy().name(), part.key()));
      }
    }
  }
}
