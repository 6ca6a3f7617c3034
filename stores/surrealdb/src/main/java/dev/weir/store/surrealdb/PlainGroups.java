package dev.weir.store.surrealdb;

import dev.weir.StoreException;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Policy;
import dev.weir.limits.TokenBucket;
import dev.weir.limits.Usage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The plain steps of a transaction in groups that differ only in their buckets. SurrealDB takes the
 * tokens of a group by one {@code UPDATE}, and reads what they have in common once.
 */
final class PlainGroups {
  private static final String TABLE = "token_bucket";

  private final List<LimitStep.Decide> steps;

  /** The index of each step, by its bucket. */
  private final Map<Terms, Map<String, Integer>> groups = new LinkedHashMap<>();

  /**
   * Creates the groups of steps.
   *
   * @param steps no two of them with equal requests
   */
  PlainGroups(List<LimitStep.Decide> steps) {
    this.steps = steps;
    for (int i = 0; i < steps.size(); i++) {
      LimitRequest part = steps.get(i).request().parts().getFirst();
      groups
          .computeIfAbsent(
              new Terms(part.policy(), part.cost(), steps.get(i).times()),
              terms -> new LinkedHashMap<>())
          .put(BucketId.of(part.policy(), part.key()), i);
    }
  }

  /** What the steps of a group have in common. */
  private record Terms(Policy policy, long cost, int times) {
    Map<String, Object> parameters(List<RecordId> buckets) {
      TokenBucket bucket = LimitStep.bucket(policy);
      return Map.of(
          "buckets",
          buckets,
          "capacity",
          bucket.capacity(),
          "full",
          bucket.capacity() * bucket.refillMicros(),
          "units",
          bucket.refillMicros(),
          "refill",
          bucket.refillTokens(),
          "ahead",
          LimitStep.aheadMicros(bucket),
          "price",
          cost * bucket.refillMicros(),
          "times",
          (long) times,
          "used_since",
          BucketId.usedSinceMicros(policy),
          "version",
          (long) policy.version());
    }
  }

  /**
   * What a step has done to its bucket.
   *
   * @param before the usage that it has found
   * @param debt the debt that it has left
   */
  record Taken(Usage before, long debt) {}

  List<LimitStep.Decide> steps() {
    return steps;
  }

  /** Returns the groups as {@code plain.surql} expects them. */
  List<Map<String, Object>> parameters() {
    List<Map<String, Object>> parameters = new ArrayList<>(groups.size());
    groups.forEach(
        (terms, indexes) ->
            parameters.add(
                terms.parameters(
                    indexes.keySet().stream().map(key -> new RecordId(TABLE, key)).toList())));
    return parameters;
  }

  /** Returns what each step has done; nothing if it is for {@code limits.surql}. */
  List<Optional<Taken>> taken(Value done) {
    List<Optional<Taken>> taken =
        new ArrayList<>(Collections.nCopies(steps.size(), Optional.empty()));
    Iterator<Value> rows = done.items().iterator();
    groups.forEach(
        (terms, indexes) -> {
          long units = LimitStep.bucket(terms.policy()).refillMicros();
          for (Value row : rows.next().items()) {
            List<Value> columns = row.items();
            taken.set(
                index(indexes, columns.getFirst()),
                Optional.of(
                    new Taken(
                        usage(columns.get(1), columns.get(2).number(), units),
                        columns.get(3).number())));
          }
        });
    return taken;
  }

  private static int index(Map<String, Integer> indexes, Value bucket) {
    Integer index = indexes.get(bucket.items().getLast().text());
    if (index == null) {
      throw RpcClient.failure(
          StoreException.Outcome.UNKNOWN, "responds with a bucket that was not asked for");
    }
    return index;
  }

  private static Usage usage(Value time, long debt, long units) {
    return time.isPresent() ? new Usage(time.timeMicros(), debt, 0, units) : Usage.NONE;
  }
}
