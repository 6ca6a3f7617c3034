package dev.weir.store.tck.limits;

import dev.weir.core.Micros;
import dev.weir.core.limits.AllOrNothing;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.Outcome;
import dev.weir.core.limits.Usage;
import dev.weir.engine.limits.AcquireRequest;
import dev.weir.engine.limits.AcquireResult;
import dev.weir.engine.limits.LimitRequest;
import dev.weir.engine.limits.LimitStore;
import dev.weir.engine.limits.Policy;
import dev.weir.engine.limits.Refund;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

/** The plainest store that the kit accepts, and, with a defect, stores that it must not. */
public final class ReferenceLimitStore implements LimitStore {
  /** What may be wrong with it. */
  public enum Defect {
    NONE,
    GRANTS_ONE_TOO_MANY,
    GIVES_BACK_TWICE,
    TAKES_FROM_THOSE_THAT_GRANT,
    FORGETS_IDS_A_MICROSECOND_EARLY,
    REMEMBERS_IDS_A_MICROSECOND_LONG,
    REMEMBERS_REFUSALS,
    WRITES_WHEN_REFUSING,
    WRITES_WHEN_LOOKING,
    FORGETS_KEYS_A_MICROSECOND_EARLY,
    COUNTS_ALL_KINDS_TOGETHER,
    JOINS_NAME_AND_KEY,
    FORGETS_CASE,
    ANSWERS_REPETITIONS_WITH_THE_PRESENT,
    GIVES_BACK_IN_THE_PRESENT,
    FOLLOWS_A_CLOCK_BACK,
    DECIDES_WITHOUT_A_LOCK,
    BINDS_NO_IDS,
    GIVES_BACK_TO_ANYBODY,
    GIVES_BACK_WHAT_WAITED,
    REMEMBERS_WHEN_RECALLING,
    FORGETS_NOTES
  }

  private record Key(Object kind, String name) {}

  private record Held(Usage usage, long idleAtMicros) {}

  private record Remembered(AcquireRequest demand, AcquireResult answer, long forgetAtMicros) {}

  private final InstantSource clock;
  private final Defect defect;
  private final Map<Key, Held> held = new HashMap<>();
  private final Map<String, Remembered> remembered = new HashMap<>();

  public ReferenceLimitStore(InstantSource clock, Defect defect) {
    this.clock = clock;
    this.defect = defect;
  }

  @Override
  public AcquireResult decide(AcquireRequest demand) {
    if (is(Defect.DECIDES_WITHOUT_A_LOCK)) {
      AcquireResult answer = peek(demand);
      LockSupport.parkNanos(1);
      synchronized (this) {
        if (answer.isAllowed()) {
          demand.asks().forEach(this::takeAnyway);
        }
      }
      return answer;
    }
    synchronized (this) {
      return decideAlone(demand);
    }
  }

  private void takeAnyway(LimitRequest ask) {
    Limit limit = ask.policy().limit();
    Usage settled = limit.settle(usage(ask.policy(), ask.key()), now());
    put(ask, limit.take(settled, ask.cost(), now()));
  }

  private AcquireResult decideAlone(AcquireRequest demand) {
    long now = now();
    Optional<AcquireResult> known = known(demand);
    if (known.isPresent()) {
      return known.get();
    }
    List<AllOrNothing.Part> parts = new ArrayList<>();
    for (LimitRequest ask : demand.taking()) {
      Usage usage = usage(ask.policy(), ask.key());
      Limit limit = ask.policy().limit();
      if (is(Defect.GRANTS_ONE_TOO_MANY)
          && limit.settle(usage, now).used() > 0
          && limit.remaining(limit.settle(usage, now), now) + 1 == ask.cost()) {
        usage = limit.refund(usage, 1, now, now);
      }
      parts.add(new AllOrNothing.Part(limit, usage, ask.cost()));
    }
    AllOrNothing.Step step = AllOrNothing.decide(parts, now);
    for (int i = 0; i < parts.size(); i++) {
      LimitRequest ask = demand.taking().get(i);
      if (step.isGranted()) {
        put(ask, step.next().get(i));
      } else if (is(Defect.TAKES_FROM_THOSE_THAT_GRANT) && step.decisions().get(i).isAllowed()) {
        takeAnyway(ask);
      } else if (is(Defect.WRITES_WHEN_REFUSING)) {
        put(ask, ask.policy().limit().settle(parts.get(i).usage(), now));
      }
    }
    AcquireResult answer = answer(demand.merged(step.decisions()));
    if (demand.isRepeatable() && (step.isGranted() || is(Defect.REMEMBERS_REFUSALS))) {
      long wrong =
          is(Defect.FORGETS_IDS_A_MICROSECOND_EARLY)
              ? -1
              : is(Defect.REMEMBERS_IDS_A_MICROSECOND_LONG) ? 1 : 0;
      remembered.put(
          demand.requestId(),
          new Remembered(demand, answer, now + Micros.floor(demand.requestTtl()) + wrong));
    }
    return answer;
  }

  @Override
  public synchronized AcquireResult peek(AcquireRequest demand) {
    List<Outcome> decisions = new ArrayList<>();
    for (LimitRequest ask : demand.asks()) {
      Usage usage = usage(ask.policy(), ask.key());
      decisions.add(ask.policy().limit().peek(usage, ask.cost(), now()));
      if (is(Defect.WRITES_WHEN_LOOKING)) {
        put(ask, ask.policy().limit().settle(usage, now()));
      }
    }
    return answer(decisions);
  }

  /** What the id of a demand is answered by. */
  private Optional<AcquireResult> known(AcquireRequest demand) {
    Remembered grant = remembered.get(demand.requestId());
    if (grant == null || now() >= grant.forgetAtMicros()) {
      return Optional.empty();
    }
    if (!isOf(grant, demand) && !is(Defect.BINDS_NO_IDS)) {
      return Optional.of(AcquireResult.reused(clock.instant()));
    }
    Instant at =
        is(Defect.ANSWERS_REPETITIONS_WITH_THE_PRESENT)
            ? clock.instant()
            : grant.answer().decidedAt();
    List<Outcome> decisions =
        grant.demand().layout() == demand.layout() || is(Defect.BINDS_NO_IDS)
            ? grant.answer().outcomes()
            : List.of();
    UUID note =
        is(Defect.FORGETS_NOTES) ? demand.request().note() : grant.demand().request().note();
    return Optional.of(
        new AcquireResult(decisions, at, AcquireResult.Mode.STORE).replayed(clock.instant(), note));
  }

  private static boolean isOf(Remembered grant, AcquireRequest demand) {
    return grant.demand().request().digest().equals(demand.request().digest());
  }

  @Override
  public synchronized Optional<AcquireResult> recall(AcquireRequest demand) {
    if (is(Defect.REMEMBERS_WHEN_RECALLING) && known(demand).isEmpty()) {
      AcquireResult unheard = decideAlone(demand);
      assert unheard.mode() == AcquireResult.Mode.STORE;
      return Optional.empty();
    }
    return known(demand);
  }

  @Override
  public synchronized Refund refund(AcquireRequest demand, Instant grantedAt) {
    long takenAt = is(Defect.GIVES_BACK_IN_THE_PRESENT) ? now() : Micros.ceil(grantedAt);
    List<LimitRequest> asks = new ArrayList<>(demand.taking());
    if (demand.isRepeatable() && !is(Defect.GIVES_BACK_TWICE)) {
      Remembered grant = remembered.get(demand.requestId());
      if (grant == null || now() >= grant.forgetAtMicros()) {
        return Refund.UNKNOWN;
      } else if (!isOf(grant, demand) && !is(Defect.GIVES_BACK_TO_ANYBODY)) {
        return Refund.REUSED;
      }
      remembered.remove(demand.requestId());
      if (!is(Defect.GIVES_BACK_IN_THE_PRESENT)) {
        takenAt = Micros.ceil(grant.answer().decidedAt());
      }
      if (grant.demand().layout() != demand.layout()) {
        asks.clear();
      } else if (!is(Defect.GIVES_BACK_WHAT_WAITED)) {
        asks = new ArrayList<>(demand.grantedAs(grant.answer().outcomes()).taking());
      }
    }
    for (LimitRequest ask : asks) {
      Usage usage = usage(ask.policy(), ask.key());
      put(ask, ask.policy().limit().refund(usage, ask.cost(), takenAt, now()));
    }
    return Refund.GIVEN_BACK;
  }

  @Override
  public synchronized Usage usage(Policy policy, String key) {
    Held found = held.get(key(policy, key));
    if (found == null || now() >= found.idleAtMicros()) {
      return Usage.NONE;
    }
    Usage usage = found.usage();
    return is(Defect.FOLLOWS_A_CLOCK_BACK) && usage.atMicros() > now()
        ? new Usage(now(), usage.used(), usage.before(), usage.scale())
        : usage;
  }

  @Override
  public synchronized void forget(Policy policy, String key) {
    held.remove(key(policy, key));
  }

  @Override
  public void close() {}

  private void put(LimitRequest ask, Usage usage) {
    long idleAt = now() + ask.policy().limit().idleMicros(usage, now());
    long wrong = is(Defect.FORGETS_KEYS_A_MICROSECOND_EARLY) ? 1 : 0;
    held.put(key(ask.policy(), ask.key()), new Held(usage, idleAt - wrong));
  }

  private Key key(Policy policy, String key) {
    Object kind = is(Defect.COUNTS_ALL_KINDS_TOGETHER) ? "any" : policy.limit().getClass();
    String separator = is(Defect.JOINS_NAME_AND_KEY) ? ":" : "\0";
    String name = policy.name() + separator + key;
    return new Key(kind, is(Defect.FORGETS_CASE) ? name.toLowerCase(Locale.ROOT) : name);
  }

  private AcquireResult answer(List<Outcome> decisions) {
    return new AcquireResult(decisions, Micros.instant(now()), AcquireResult.Mode.STORE);
  }

  private long now() {
    return Micros.ceil(clock.instant());
  }

  private boolean is(Defect other) {
    return defect == other;
  }
}
