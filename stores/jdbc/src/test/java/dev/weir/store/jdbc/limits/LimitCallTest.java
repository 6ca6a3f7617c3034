package dev.weir.store.jdbc.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Delayed;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Outcome;
import dev.weir.limits.Policy;
import dev.weir.limits.Refund;
import dev.weir.limits.RequestBinding;
import dev.weir.limits.RequestDigest;
import dev.weir.limits.SlidingWindow;
import dev.weir.limits.TokenBucket;
import dev.weir.limits.Usage;
import dev.weir.limits.internal.AllOrNothing;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.internal.Sql;
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

/** Compares one or many steps in one call of a function with core, one step after the other. */
final class LimitCallTest {
  private static final long NOON = 1_780_315_200_000_000L;
  private static final Duration TTL = Duration.ofSeconds(5);

  private final Database database = Database.get();

  /** A simple model of usages and granted requests. */
  private static final class Model {
    final Map<String, Usage> usages = new HashMap<>();
    final Map<String, Granted> granted = new HashMap<>();

    record Granted(AcquireRequest request, AcquireResult result, long untilMicros) {
      boolean isOf(AcquireRequest other) {
        return request.binding().digest().equals(other.binding().digest());
      }

      boolean isInPlaceOf(AcquireRequest other) {
        return request.layout() == other.layout();
      }
    }

    AcquireResult decide(AcquireRequest request, long now) {
      Granted before = granted.get(request.requestId());
      if (before != null && before.untilMicros() > now) {
        AcquireResult first = before.result();
        List<Outcome> decisions = before.isInPlaceOf(request) ? first.outcomes() : List.of();
        return before.isOf(request)
            ? new AcquireResult(decisions, first.decidedAt(), first.mode())
                .replayed(Micros.instant(now), before.request().binding().note())
            : AcquireResult.reused(Micros.instant(now));
      }
      List<AllOrNothing.Part> parts = new ArrayList<>();
      for (LimitRequest limitRequest : request.takingParts()) {
        parts.add(
            new AllOrNothing.Part(
                limitRequest.policy().limit(), usage(limitRequest), limitRequest.cost()));
      }
      AllOrNothing.Step step = AllOrNothing.decide(parts, now);
      for (int i = 0; i < parts.size(); i++) {
        if (step.isGranted() || !parts.get(i).limit().isCurrent(parts.get(i).usage(), now)) {
          usages.put(id(request.takingParts().get(i)), step.next().get(i));
        }
      }
      AcquireResult result =
          new AcquireResult(
              request.merged(step.decisions()), Micros.instant(now), AcquireResult.Mode.STORE);
      if (step.isGranted() && request.isRepeatable()) {
        granted.put(
            request.requestId(),
            new Granted(request, result, now + Micros.floor(request.requestTtl())));
      }
      return result;
    }

    Refund giveBack(LimitStep.GiveBack back, long now) {
      AcquireRequest request = back.request();
      long takenAt = back.takenAtMicros();
      if (request.isRepeatable()) {
        Granted before = granted.get(request.requestId());
        if (before == null || before.untilMicros() <= now) {
          // An expired request is forgotten, even if the clock steps back afterwards.
          granted.remove(request.requestId());
          return Refund.UNKNOWN;
        } else if (!before.isOf(request)) {
          return Refund.REUSED;
        }
        granted.remove(request.requestId());
        if (!before.isInPlaceOf(request)) {
          return Refund.GIVEN_BACK;
        }
        request = request.grantedAs(before.result().outcomes());
        takenAt = Micros.ceil(before.result().decidedAt());
      }
      for (LimitRequest limitRequest : request.takingParts()) {
        long at = takenAt;
        usages.computeIfPresent(
            id(limitRequest),
            (id, usage) ->
                limitRequest.policy().limit().refund(usage, limitRequest.cost(), at, now));
      }
      return Refund.GIVEN_BACK;
    }

    private Usage usage(LimitRequest limitRequest) {
      return usages.getOrDefault(id(limitRequest), Usage.NONE);
    }

    private static String id(LimitRequest limitRequest) {
      return UsageId.of(limitRequest.policy(), limitRequest.key());
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
        List<LimitCall.Done> done =
            LimitCall.of(steps).run(connection, now, random.nextBoolean()).done();
        for (int i = 0; i < steps.size(); i++) {
          switch (steps.get(i)) {
            case LimitStep.Decide decide ->
                assertThat(done.get(i))
                    .describedAs("%s", decide)
                    .isEqualTo(new LimitCall.Decided(model.decide(decide.request(), now)));
            case LimitStep.GiveBack back ->
                assertThat(done.get(i))
                    .describedAs("%s", back)
                    .isEqualTo(new LimitCall.GivenBack(model.giveBack(back, now)));
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
    // A single request is decided by another function.
    int count = random.nextInt(3) == 0 ? 1 : 1 + random.nextInt(12);
    // All steps of a call happen at the same time: a refunded request is not decided as well.
    boolean isDecision = random.nextInt(4) > 0;
    for (int i = 0; i < count; i++) {
      List<LimitRequest> parts = new ArrayList<>();
      List<Integer> keys = new ArrayList<>(List.of(0, 1, 2));
      for (int left = random.nextInt(4) == 0 ? 3 : 1; left > 0; left--) {
        int key = keys.remove(/* index */ random.nextInt(keys.size()));
        Limit limit = limit(random);
        long cost =
            random.nextBoolean() ? 1 : 1 + random.nextLong(Math.min(limit.maxCost(), 1L << 40));
        parts.add(new LimitRequest(Policy.of("p" + key, limit), run + key, cost));
      }
      AcquireRequest request =
          new AcquireRequest(parts, delays(random, parts.size()), RequestBinding.NONE);
      if (random.nextInt(3) == 0) {
        request = repeatable(request, run + random.nextInt(6), random);
      } else if (request.takingParts().isEmpty()) {
        request = AcquireRequest.all(parts);
      }
      steps.add(
          isDecision
              ? new LimitStep.Decide(request)
              : new LimitStep.GiveBack(request, now - random.nextLong(4_000_000)));
    }
    return steps;
  }

  /** In some requests, some limits are waited for. */
  private static Map<Integer, Delayed> delays(Random random, int parts) {
    Map<Integer, Delayed> waits = new HashMap<>();
    for (int i = 0; i < parts && random.nextInt(4) == 0; i++) {
      waits.put(i, new Delayed(random.nextInt(9), 7, 1 + random.nextInt(9_000_000), i));
    }
    return waits;
  }

  /** Bound to the request itself, or to one of a few requests. */
  private static AcquireRequest repeatable(AcquireRequest request, String id, Random random) {
    AcquireRequest repeatable = new AcquireRequest(request.parts(), id, TTL);
    RequestDigest digest =
        random.nextBoolean()
            ? repeatable.binding().digest()
            : new RequestDigest(random.nextInt(2), -1);
    boolean isBare = random.nextInt(9) == 0;
    return new AcquireRequest(
        isBare ? List.of() : request.parts(),
        isBare ? Map.of() : request.delays(),
        new RequestBinding(id, TTL, digest, new UUID(random.nextLong(), random.nextLong())));
  }

  private static Limit limit(Random random) {
    Duration window =
        Duration.ofMillis(List.of(1, 700, 1000, 3000, 86_400_000).get(random.nextInt(5)));
    long most =
        switch (random.nextInt(4)) {
          case 0 -> 1 + random.nextInt(3);
          case 1 -> SlidingWindow.MAX_LIMIT;
          default -> 5 + random.nextInt(20);
        };
    return switch (random.nextInt(4)) {
      case 0 -> FixedWindow.of(most, window);
      case 1 -> FixedWindow.of(most, window).alignedToEpoch();
      case 2 -> SlidingWindow.of(most, window);
      default ->
          TokenBucket.of(most)
              .refill(1 + random.nextInt(2_000_003), Duration.ofMillis(1 + random.nextInt(1000)));
    };
  }
}
