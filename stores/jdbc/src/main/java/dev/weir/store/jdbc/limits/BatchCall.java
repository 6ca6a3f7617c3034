package dev.weir.store.jdbc.limits;

import dev.weir.core.Micros;
import dev.weir.core.limits.Delayed;
import dev.weir.core.limits.Outcome;
import dev.weir.engine.limits.AcquireRequest;
import dev.weir.engine.limits.AcquireResult;
import dev.weir.engine.limits.LimitRequest;
import dev.weir.engine.limits.Refund;
import dev.weir.store.jdbc.Sql;
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
 * A call of {@code weir_limit_decide_2}: many steps as arrays, many answers as one array. Each
 * usage is named once, in an order that all nodes share.
 */
final class BatchCall implements LimitCall {
  private static final String CALL =
      """
      select weir_limit_decide_2(?::bigint, ?, ?::text[], ?::int[], ?::bigint[],
        ?::text[], ?::bigint[], ?::int[], ?::bigint[],
        ?::int[], ?::int[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[])
      """;

  /** In place of a kind of limit. */
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
  private final int[] askCounts;
  private final int[] usages;
  private final int[] kinds;
  private final long[] mosts;
  private final long[] sizes;
  private final long[] refills;
  private final long[] costs;

  BatchCall(List<LimitStep> steps) {
    this.steps = steps;
    this.askCounts = steps.stream().mapToInt(step -> step.demand().asks().size()).toArray();
    int asks = 0;
    for (int count : askCounts) {
      asks += count;
    }
    this.usages = new int[asks];
    this.kinds = new int[asks];
    this.mosts = new long[asks];
    this.sizes = new long[asks];
    this.refills = new long[asks];
    this.costs = new long[asks];
    this.usageIds = flatten();
  }

  /** Fills the arrays of asks; returns the usages, in order. */
  private String[] flatten() {
    TreeMap<String, List<Integer>> asksById = new TreeMap<>();
    int i = 0;
    for (LimitStep step : steps) {
      AcquireRequest demand = step.demand();
      for (int k = 0; k < demand.asks().size(); k++) {
        @Nullable Delayed wait = demand.waits().get(k);
        if (wait == null) {
          LimitRequest ask = demand.asks().get(k);
          asksById
              .computeIfAbsent(UsageId.of(ask.policy(), ask.key()), id -> new ArrayList<>())
              .add(i);
          put(i, ask);
        } else {
          put(i, wait);
        }
        i++;
      }
    }
    int number = 0;
    for (List<Integer> asks : asksById.values()) {
      number++;
      for (int ask : asks) {
        usages[ask] = number;
      }
    }
    return asksById.keySet().toArray(String[]::new);
  }

  private void put(int i, LimitRequest ask) {
    LimitParameters terms = LimitParameters.of(ask.policy().limit());
    kinds[i] = terms.kind();
    mosts[i] = terms.most();
    sizes[i] = terms.size();
    refills[i] = terms.refill();
    costs[i] = ask.cost();
  }

  private void put(int i, Delayed wait) {
    kinds[i] = WAITED_FOR;
    mosts[i] = wait.remaining();
    sizes[i] = wait.resetMicros();
    refills[i] = wait.delayMicros();
    costs[i] = wait.position();
  }

  @Override
  public CallResult run(Connection connection, @Nullable Long nowMicros, boolean lookFirst)
      throws SQLException {
    boolean withIds = steps.stream().anyMatch(step -> step.demand().isRepeatable());
    try (PreparedStatement statement =
            Sql.prepare(
                connection,
                CALL,
                nowMicros,
                lookFirst,
                usageIds,
                askCounts,
                takenAt(),
                withIds ? requestIds() : NO_TEXTS,
                withIds ? ttls() : NO_NUMBERS,
                withIds ? repeats() : NO_INDEXES,
                withIds ? bindings() : NO_NUMBERS,
                usages,
                kinds,
                mosts,
                sizes,
                refills,
                costs);
        ResultSet rows = statement.executeQuery()) {
      rows.next();
      return answers((Long[]) rows.getArray(1).getArray());
    }
  }

  /** When what is given back was taken; empty if nothing is. */
  private @Nullable Long[] takenAt() {
    boolean any = false;
    @Nullable Long[] taken = new Long[steps.size()];
    for (int i = 0; i < taken.length; i++) {
      if (steps.get(i) instanceof LimitStep.GiveBack back) {
        taken[i] = back.takenAtMicros();
        any = true;
      }
    }
    return any ? taken : new Long[0];
  }

  private String[] requestIds() {
    return steps.stream().map(step -> step.demand().requestId()).toArray(String[]::new);
  }

  private long[] ttls() {
    return steps.stream().mapToLong(step -> Micros.floor(step.demand().requestTtl())).toArray();
  }

  /** For each step the one before it, counted from 1, of the same sort and id; 0 for none. */
  private int[] repeats() {
    int[] repeats = new int[steps.size()];
    Map<List<Object>, Integer> last = new HashMap<>();
    for (int i = 0; i < repeats.length; i++) {
      AcquireRequest demand = steps.get(i).demand();
      if (demand.isRepeatable()) {
        List<Object> id = List.of(steps.get(i).getClass(), demand.requestId());
        Integer before = last.put(id, i + 1);
        repeats[i] = before == null ? 0 : before;
      }
    }
    return repeats;
  }

  /** The request that each id belongs to. */
  private long[] bindings() {
    long[] bindings = new long[BINDING_NUMBERS * steps.size()];
    for (int i = 0; i < steps.size(); i++) {
      AcquireRequest demand = steps.get(i).demand();
      if (demand.isRepeatable()) {
        int at = BINDING_NUMBERS * i;
        bindings[at] = demand.request().digest().high();
        bindings[at + 1] = demand.request().digest().low();
        bindings[at + 2] = demand.layout();
        bindings[at + 3] = demand.request().note().getMostSignificantBits();
        bindings[at + 4] = demand.request().note().getLeastSignificantBits();
      }
    }
    return bindings;
  }

  private CallResult answers(Long[] numbers) {
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
