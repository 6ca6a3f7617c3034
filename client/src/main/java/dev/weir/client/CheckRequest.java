package dev.weir.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * What a check asks: one or several rules, which all grant, or nothing is taken.
 *
 * @param requestId the id by which the request may be repeated within {@code
 *     weir.limits.request-ttl}: one that was granted is granted again and takes nothing
 */
public record CheckRequest(List<Demand> demands, Optional<String> requestId) {

  /**
   * What one rule is asked.
   *
   * @param key who or what is counted
   * @param cost how many units are taken
   */
  public record Demand(String rule, String key, long cost) {
    public Demand {
      Requirements.notBlank("rule", rule);
      Requirements.notBlank("key", key);
      Requirements.atLeast(1, "cost", cost);
    }
  }

  public CheckRequest {
    demands = List.copyOf(demands);
    if (demands.isEmpty()) {
      throw new IllegalArgumentException("demands must not be empty");
    }
  }

  /** Returns a request for one unit. */
  public static CheckRequest of(String rule, String key) {
    return of(rule, key, 1);
  }

  /** Returns a request for a number of units. */
  public static CheckRequest of(String rule, String key, long cost) {
    return new CheckRequest(List.of(new Demand(rule, key, cost)), Optional.empty());
  }

  /** Returns a request that another rule has to grant too. */
  public CheckRequest and(String rule, String key, long cost) {
    List<Demand> more = new ArrayList<>(demands);
    more.add(new Demand(rule, key, cost));
    return new CheckRequest(more, requestId);
  }

  /** Returns this request with an id, which must not belong to any other. */
  public CheckRequest requestId(String id) {
    return new CheckRequest(demands, Optional.of(Requirements.notBlank("requestId", id)));
  }

  /**
   * Returns this request with a new id, so that it is repeated if its answer is lost. The server
   * keeps each id for a while.
   */
  public CheckRequest repeatable() {
    return requestId(UUID.randomUUID().toString());
  }
}
