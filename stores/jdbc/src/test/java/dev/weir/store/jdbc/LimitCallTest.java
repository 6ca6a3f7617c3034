package dev.weir.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.Micros;
import dev.weir.core.limits.AllOrNothing;
import dev.weir.core.limits.FixedWindow;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.SlidingWindow;
import dev.weir.core.limits.TokenBucket;
import dev.weir.core.limits.Usage;
import dev.weir.engine.limits.Answer;
import dev.weir.engine.limits.Ask;
import dev.weir.engine.limits.Demand;
import dev.weir.engine.limits.Policy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/** One step or many in one call of a function against core, one after the other. */
final class LimitCallTest {
  private static final long NOON = 1_780_315_200_000_000L;
  private static final Duration TTL = Duration.ofSeconds(5);

  private final Database database = Database.get();

  /** What the usages and the granted demands are, kept naively. */
  private static final class Model {
    final Map<String, Usage> usages = new HashMap<>();
    final Map<String, Granted> granted = new HashMap<>();

    record Granted(Answer answer, long untilMicros) {}

    Answer decide(Demand<? extends Limit> demand, long now) {
      Granted before = granted.get(demand.requestId());
      if (before != null && before.untilMicros() > now) {
        Answer first = before.answer();
        return new Answer(first.decisions(), first.decidedAt(), first.mode(), true);
      }
      List<AllOrNothing.Part> parts = new ArrayList<>();
      for (Ask<? extends Limit> ask : demand.asks()) {
        parts.add(new AllOrNothing.Part(ask.policy().limit(), usage(ask), ask.cost()));
      }
      AllOrNothing.Step step = AllOrNothing.decide(parts, now);
      for (int i = 0; i < parts.size() && step.isGranted(); i++) {
        usages.put(id(demand.asks().get(i)), step.next().get(i));
      }
      Answer answer = new Answer(step.decisions(), Micros.instant(now), Answer.Mode.STORE, false);
      if (step.isGranted() && demand.isRepeatable()) {
        granted.put(
            demand.requestId(), new Granted(answer, now + Micros.floor(demand.requestTtl())));
      }
      return answer;
    }

    void giveBack(LimitStep.GiveBack back, long now) {
      Demand<? extends Limit> demand = back.demand();
      if (demand.isRepeatable()) {
        Granted before = granted.remove(demand.requestId());
        if (before == null || before.untilMicros() <= now) {
          return;
        }
      }
      for (Ask<? extends Limit> ask : demand.asks()) {
        usages.computeIfPresent(
            id(ask),
            (id, usage) ->
                ask.policy().limit().refund(usage, ask.cost(), back.takenAtMicros(), now));
      }
    }

    private Usage usage(Ask<? extends Limit> ask) {
      return usages.getOrDefault(id(ask), Usage.NONE);
    }

    private static String id(Ask<? extends Limit> ask) {
      return UsageId.of(ask.policy(), ask.key());
    }
  }

  @Property(tries = 60, shrinking = ShrinkingMode.OFF)
  void decidesAsCoreDoes(@ForAll Random random) throws SQLException {
    String run = UUID.randomUUID().toString();
    Model model = new Model();
    long now = NOON + random.nextLong(-NOON - 1_000_000_000L, NOON);
    try (Connection connection = database.pool().getConnection()) {
      for (int call = 0; call < 12; call++) {
        now += random.nextInt(8) == 0 ? -random.nextLong(3_000_000) : random.nextLong(1_500_000);
        List<LimitStep> steps = steps(random, run, now);
        List<Answer> answers =
            LimitCall.of(steps).run(connection, now, random.nextBoolean()).answers();
        for (int i = 0; i < steps.size(); i++) {
          switch (steps.get(i)) {
            case LimitStep.Decide decide ->
                assertThat(answers.get(i))
                    .describedAs("%s", decide)
                    .isEqualTo(model.decide(decide.demand(), now));
            case LimitStep.GiveBack back -> {
              model.giveBack(back, now);
              assertThat(answers.get(i).decisions()).isEmpty();
            }
          }
        }
        assertUsages(connection, model);
      }
    }
  }

  private static void assertUsages(Connection connection, Model model) throws SQLException {
    for (Map.Entry<String, Usage> each : model.usages.entrySet()) {
      assertThat(
              Sql.first(
                  connection,
                  row -> new Usage(row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4)),
                  "select at_micros, used, used_before, scale from limit_usage where id = ?",
                  each.getKey()))
          .contains(each.getValue());
    }
  }

  private static List<LimitStep> steps(Random random, String run, long now) {
    List<LimitStep> steps = new ArrayList<>();
    // Who comes alone is decided by another function.
    int count = random.nextInt(3) == 0 ? 1 : 1 + random.nextInt(12);
    // Steps of one call happen at once: a demand that is given back is not asked for as well.
    boolean asking = random.nextInt(4) > 0;
    for (int i = 0; i < count; i++) {
      List<Ask<? extends Limit>> asks = new ArrayList<>();
      List<Integer> keys = new ArrayList<>(List.of(0, 1, 2));
      for (int asked = random.nextInt(4) == 0 ? 3 : 1; asked > 0; asked--) {
        int key = keys.remove(/* index */ random.nextInt(keys.size()));
        Limit limit = limit(random);
        long cost =
            random.nextBoolean() ? 1 : 1 + random.nextLong(Math.min(limit.most(), 1L << 40));
        asks.add(new Ask<>(Policy.of("p" + key, limit), run + key, cost));
      }
      Demand<Limit> demand = new Demand<>(asks, "", TTL);
      if (random.nextInt(3) == 0) {
        demand = demand.withRequestId(run + random.nextInt(6));
      }
      steps.add(
          asking
              ? new LimitStep.Decide(demand)
              : new LimitStep.GiveBack(demand, now - random.nextLong(4_000_000)));
    }
    return steps;
  }

  private static Limit limit(Random random) {
    Duration window =
        Duration.ofMillis(List.of(1, 700, 1000, 3000, 86_400_000).get(random.nextInt(5)));
    long most =
        switch (random.nextInt(4)) {
          case 0 -> 1 + random.nextInt(3);
          case 1 -> SlidingWindow.MOST;
          default -> 5 + random.nextInt(20);
        };
    return switch (random.nextInt(4)) {
      case 0 -> FixedWindow.of(most, window);
      case 1 -> FixedWindow.of(most, window).alignedToEpoch();
      case 2 -> SlidingWindow.of(most, window);
      default ->
          TokenBucket.of(most, window)
              .refilledBy(
                  1 + random.nextInt(2_000_003), Duration.ofMillis(1 + random.nextInt(1000)));
    };
  }
}
