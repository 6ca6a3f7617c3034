package dev.weir.store.jdbc;

import dev.weir.core.Micros;
import dev.weir.core.limits.Decision;
import dev.weir.core.limits.Limit;
import dev.weir.engine.limits.Answer;
import dev.weir.engine.limits.Ask;
import dev.weir.engine.limits.Demand;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A call of {@code weir_limit_decide_2}: many steps as arrays, many answers as one array. Each
 * usage is named once, in an order that all nodes share.
 */
final class CallOfMany implements LimitCall {
  private static final String CALL =
      """
      select weir_limit_decide_2(?::bigint, ?, ?::text[], ?::int[], ?::bigint[],
        ?::text[], ?::bigint[], ?::int[],
        ?::int[], ?::int[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[])
      """;

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

  CallOfMany(List<LimitStep> steps) {
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
      for (Ask<? extends Limit> ask : step.demand().asks()) {
        asksById
            .computeIfAbsent(UsageId.of(ask.policy(), ask.key()), id -> new ArrayList<>())
            .add(i);
        LimitTerms terms = LimitTerms.of(ask.policy().limit());
        kinds[i] = terms.kind();
        mosts[i] = terms.most();
        sizes[i] = terms.size();
        refills[i] = terms.refill();
        costs[i] = ask.cost();
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

  @Override
  public Outcome run(Connection connection, @Nullable Long nowMicros, boolean lookFirst)
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
      Demand<? extends Limit> demand = steps.get(i).demand();
      if (demand.isRepeatable()) {
        List<Object> id = List.of(steps.get(i).getClass(), demand.requestId());
        Integer before = last.put(id, i + 1);
        repeats[i] = before == null ? 0 : before;
      }
    }
    return repeats;
  }

  private Outcome answers(Long[] numbers) {
    List<Answer> answers = new ArrayList<>(steps.size());
    boolean wrote = false;
    int at = 0;
    for (LimitStep step : steps) {
      boolean replayed = numbers[at] == 1;
      long decidedAt = numbers[at + 1];
      int count = Math.toIntExact(numbers[at + 2]);
      at += 3;
      List<Decision> decisions = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        decisions.add(LimitCall.decision(numbers[at], numbers[at + 1], numbers[at + 2]));
        at += 3;
      }
      Answer answer = new Answer(decisions, Micros.instant(decidedAt), Answer.Mode.STORE, replayed);
      wrote |= step instanceof LimitStep.GiveBack || (!replayed && answer.isAllowed());
      answers.add(answer);
    }
    return new Outcome(answers, wrote);
  }
}
