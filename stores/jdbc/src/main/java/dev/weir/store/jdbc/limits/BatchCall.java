package dev.weir.store.jdbc.limits;

import dev.weir.internal.Micros;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Delayed;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Outcome;
import dev.weir.limits.Refund;
import dev.weir.store.jdbc.internal.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A call of {@code weir_limit_decide_batch_4}: many steps as arrays, their results as one array.
 * Each usage is passed once, in an order that is the same on all nodes.
 */
final class BatchCall implements LimitCall {
  private static final String CALL =
      """
      select weir_limit_decide_batch_4(?::bigint, ?, ?::text[], ?::int[], ?::bigint[],
        ?::text[], ?::bigint[], ?::int[], ?::bigint[],
        ?::int[], ?::int[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[],
        ?::int[], ?::bigint[])
      """;

  /** Kind of a limit request whose permits are waited for in a queue. */
  private static final int WAITED_FOR = 0;

  private static final int BINDING_NUMBERS = 5;

  private static final int NOW = 0;
  private static final int REPLAYED = 1;
  private static final int REUSED = 2;

  private static final long[] NO_NUMBERS = {};
  private static final int[] NO_INDEXES = {};
  private static final String[] NO_TEXTS = {};

  private final List<LimitStep> steps;
  private final String[] usageIds;
  private final int[] requestCounts;
  private final int[] usages;
  private final int[] kinds;
  private final long[] maxima;
  private final long[] sizes;
  private final long[] refills;
  private final long[] costs;
  private final int[] versions;
  private final long[] creations;

  BatchCall(List<LimitStep> steps) {
    this.steps = steps;
    this.requestCounts = steps.stream().mapToInt(step -> step.request().parts().size()).toArray();
    int total = 0;
    for (int count : requestCounts) {
      total += count;
    }
    this.usages = new int[total];
    this.kinds = new int[total];
    this.maxima = new long[total];
    this.sizes = new long[total];
    this.refills = new long[total];
    this.costs = new long[total];
    this.versions = new int[total];
    this.creations = new long[total];
    this.usageIds = flatten();
  }

  /** Fills the arrays of limit requests; returns the ids of the usages, in order. */
  private String[] flatten() {
    TreeMap<String, List<Integer>> indexesById = new TreeMap<>();
    int i = 0;
    for (LimitStep step : steps) {
      AcquireRequest request = step.request();
      for (int k = 0; k < request.parts().size(); k++) {
        @Nullable Delayed wait = request.delays().get(k);
        if (wait == null) {
          LimitRequest limitRequest = request.parts().get(k);
          indexesById
              .computeIfAbsent(
                  UsageId.of(limitRequest.policy(), limitRequest.key()), id -> new ArrayList<>())
              .add(i);
          put(i, limitRequest);
        } else {
          put(i, wait);
        }
        i++;
      }
    }
    int number = 0;
    for (List<Integer> indexes : indexesById.values()) {
      number++;
      for (int index : indexes) {
        usages[index] = number;
      }
    }
    return indexesById.keySet().toArray(String[]::new);
  }

  private void put(int i, LimitRequest limitRequest) {
    LimitParameters parameters = LimitParameters.of(limitRequest.policy().limit());
    kinds[i] = parameters.kind();
    maxima[i] = parameters.max();
    sizes[i] = parameters.size();
    refills[i] = parameters.refill();
    costs[i] = limitRequest.cost();
    versions[i] = limitRequest.policy().version();
    creations[i] = limitRequest.policy().createdAtMicros();
  }

  private void put(int i, Delayed wait) {
    kinds[i] = WAITED_FOR;
    maxima[i] = wait.remaining();
    sizes[i] = wait.resetMicros();
    refills[i] = wait.delayMicros();
    costs[i] = wait.position();
  }

  @Override
  public CallResult run(Connection connection, @Nullable Long nowMicros, boolean lookFirst)
      throws SQLException {
    boolean withIds = steps.stream().anyMatch(step -> step.request().isRepeatable());
    try (PreparedStatement statement =
            Sql.prepare(
                connection,
                CALL,
                nowMicros,
                lookFirst,
                usageIds,
                requestCounts,
                takenAt(),
                withIds ? requestIds() : NO_TEXTS,
                withIds ? ttls() : NO_NUMBERS,
                withIds ? repeats() : NO_INDEXES,
                withIds ? bindings() : NO_NUMBERS,
                usages,
                kinds,
                maxima,
                sizes,
                refills,
                costs,
                versions,
                creations);
        ResultSet rows = statement.executeQuery()) {
      rows.next();
      return results((Long[]) rows.getArray(1).getArray());
    }
  }

  /** Returns when each refund was taken; an empty array if there is no refund. */
  private @Nullable Long[] takenAt() {
    boolean any = false;
    @Nullable Long[] taken = new Long[steps.size()];
    for (int i = 0; i < taken.length; i++) {
      if (steps.get(i) instanceof LimitStep.GiveBack refund) {
        taken[i] = refund.takenAtMicros();
        any = true;
      }
    }
    return any ? taken : new Long[0];
  }

  private String[] requestIds() {
    return steps.stream().map(step -> step.request().requestId()).toArray(String[]::new);
  }

  private long[] ttls() {
    return steps.stream().mapToLong(step -> Micros.floor(step.request().requestTtl())).toArray();
  }

  /** Returns for each step the previous one of the same sort and id, from 1; 0 for none. */
  private int[] repeats() {
    int[] repeats = new int[steps.size()];
    Map<List<Object>, Integer> last = new HashMap<>();
    for (int i = 0; i < repeats.length; i++) {
      AcquireRequest request = steps.get(i).request();
      if (request.isRepeatable()) {
        List<Object> id = List.of(steps.get(i).getClass(), request.requestId());
        Integer before = last.put(id, i + 1);
        repeats[i] = before == null ? 0 : before;
      }
    }
    return repeats;
  }

  /** Returns the request that each id is bound to. */
  private long[] bindings() {
    long[] bindings = new long[BINDING_NUMBERS * steps.size()];
    for (int i = 0; i < steps.size(); i++) {
      AcquireRequest request = steps.get(i).request();
      if (request.isRepeatable()) {
        int at = BINDING_NUMBERS * i;
        bindings[at] = request.binding().digest().high();
        bindings[at + 1] = request.binding().digest().low();
        bindings[at + 2] = request.layout();
        bindings[at + 3] = request.binding().note().getMostSignificantBits();
        bindings[at + 4] = request.binding().note().getLeastSignificantBits();
      }
    }
    return bindings;
  }

  private CallResult results(Long[] numbers) {
    ResultReader reader = new ResultReader(numbers);
    Instant now = Micros.instant(reader.next());
    List<Done> done = new ArrayList<>(steps.size());
    boolean wrote = false;
    for (LimitStep step : steps) {
      int outcome = Math.toIntExact(reader.next());
      Instant decidedAt = Micros.instant(reader.next());
      UUID note = new UUID(reader.next(), reader.next());
      List<Outcome> outcomes = reader.outcomes();
      if (step instanceof LimitStep.GiveBack) {
        wrote |= outcome == NOW;
        done.add(
            new GivenBack(
                switch (outcome) {
                  case NOW -> Refund.GIVEN_BACK;
                  case REUSED -> Refund.REUSED;
                  default -> Refund.UNKNOWN;
                }));
      } else {
        AcquireResult decided = new AcquireResult(outcomes, decidedAt, AcquireResult.Mode.STORE);
        wrote |= outcome == NOW && decided.isAllowed();
        done.add(
            new Decided(
                switch (outcome) {
                  case REPLAYED -> decided.replayed(now, note);
                  case REUSED -> AcquireResult.reused(decidedAt);
                  default -> decided;
                }));
      }
    }
    return new CallResult(done, wrote);
  }
}
