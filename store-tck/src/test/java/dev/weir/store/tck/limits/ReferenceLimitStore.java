package dev.weir.store.tck.limits;

import dev.weir.internal.Micros;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Limit;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.LimitStore;
import dev.weir.limits.Outcome;
import dev.weir.limits.Policy;
import dev.weir.limits.Refund;
import dev.weir.limits.Usage;
import dev.weir.limits.internal.AllOrNothing;
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

/** A simple store that the kit accepts; with a defect, one that the kit must reject. */
public final class ReferenceLimitStore implements LimitStore {
  /** A deliberate mistake in this store. */
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
    FORGETS_NOTES,
    FORGETS_CHANGES_WHEN_REFUSING,
    SETTLES_NOTHING,
    LETS_OLDER_VERSIONS_SETTLE
  }

  private record Key(Object kind, String name) {}

  private record Held(Usage usage, long idleAtMicros, int version) {}

  private record Remembered(AcquireRequest request, AcquireResult result, long forgetAtMicros) {}

  private final InstantSource clock;
  private final Defect defect;
  private final Map<Key, Held> held = new HashMap<>();
  private final Map<String, Remembered> remembered = new HashMap<>();

  public ReferenceLimitStore(InstantSource clock, Defect defect) {
    this.clock = clock;
    this.defect = defect;
  }

  @Override
  public AcquireResult decide(AcquireRequest request) {
    if (is(Defect.DECIDES_WITHOUT_A_LOCK)) {
      AcquireResult result = peek(request);
      LockSupport.parkNanos(1);
      synchronized (this) {
        if (result.isAllowed()) {
          request.parts().forEach(this::takeAnyway);
        }
      }
      return result;
    }
    synchronized (this) {
      return decideAlone(request);
    }
  }

  private void takeAnyway(LimitRequest request) {
    LimitRequest limitRequest = counting(request);
    Limit limit = limitRequest.policy().limit();
    Usage settled = limit.settle(usage(limitRequest.policy(), limitRequest.key()), now());
    put(limitRequest, limit.take(settled, limitRequest.cost(), now()));
  }

  private AcquireResult decideAlone(AcquireRequest request) {
    long now = now();
    Optional<AcquireResult> known = known(request);
    if (known.isPresent()) {
      return known.get();
    }
    List<AllOrNothing.Part> parts = new ArrayList<>();
    List<LimitRequest> taking = request.takingParts().stream().map(this::counting).toList();
    for (LimitRequest limitRequest : taking) {
      Usage usage = usage(limitRequest.policy(), limitRequest.key());
      Limit limit = limitRequest.policy().limit();
      if (is(Defect.GRANTS_ONE_TOO_MANY)
          && limit.settle(usage, now).used() > 0
          && limit.remaining(limit.settle(usage, now), now) + 1 == limitRequest.cost()) {
        usage = limit.refund(usage, 1, now, now);
      }
      parts.add(new AllOrNothing.Part(limit, usage, limitRequest.cost()));
    }
    AllOrNothing.Step step = AllOrNothing.decide(parts, now);
    for (int i = 0; i < parts.size(); i++) {
      LimitRequest limitRequest = taking.get(i);
      boolean isChanged = !parts.get(i).limit().isCurrent(parts.get(i).usage(), now);
      if (step.isGranted() || (isChanged && !is(Defect.FORGETS_CHANGES_WHEN_REFUSING))) {
        put(limitRequest, step.next().get(i));
      } else if (is(Defect.TAKES_FROM_THOSE_THAT_GRANT) && step.decisions().get(i).isAllowed()) {
        takeAnyway(limitRequest);
      } else if (is(Defect.WRITES_WHEN_REFUSING)) {
        put(limitRequest, limitRequest.policy().limit().settle(parts.get(i).usage(), now));
      }
    }
    AcquireResult result = result(request.merged(step.decisions()));
    if (request.isRepeatable() && (step.isGranted() || is(Defect.REMEMBERS_REFUSALS))) {
      long wrong =
          is(Defect.FORGETS_IDS_A_MICROSECOND_EARLY)
              ? -1
              : is(Defect.REMEMBERS_IDS_A_MICROSECOND_LONG) ? 1 : 0;
      remembered.put(
          request.requestId(),
          new Remembered(request, result, now + Micros.floor(request.requestTtl()) + wrong));
    }
    return result;
  }

  @Override
  public synchronized AcquireResult peek(AcquireRequest request) {
    List<Outcome> decisions = new ArrayList<>();
    for (LimitRequest part : request.parts()) {
      LimitRequest limitRequest = counting(part);
      Usage usage = usage(limitRequest.policy(), limitRequest.key());
      decisions.add(limitRequest.policy().limit().peek(usage, limitRequest.cost(), now()));
      if (is(Defect.WRITES_WHEN_LOOKING)) {
        put(limitRequest, limitRequest.policy().limit().settle(usage, now()));
      }
    }
    return result(decisions);
  }

  /** Returns the remembered result of the request id. */
  private Optional<AcquireResult> known(AcquireRequest request) {
    Remembered grant = remembered.get(request.requestId());
    if (grant == null || now() >= grant.forgetAtMicros()) {
      return Optional.empty();
    }
    if (!isOf(grant, request) && !is(Defect.BINDS_NO_IDS)) {
      return Optional.of(AcquireResult.reused(clock.instant()));
    }
    Instant at =
        is(Defect.ANSWERS_REPETITIONS_WITH_THE_PRESENT)
            ? clock.instant()
            : grant.result().decidedAt();
    List<Outcome> decisions =
        grant.request().layout() == request.layout() || is(Defect.BINDS_NO_IDS)
            ? grant.result().outcomes()
            : List.of();
    UUID note =
        is(Defect.FORGETS_NOTES) ? request.binding().note() : grant.request().binding().note();
    return Optional.of(
        new AcquireResult(decisions, at, AcquireResult.Mode.STORE).replayed(clock.instant(), note));
  }

  private static boolean isOf(Remembered grant, AcquireRequest request) {
    return grant.request().binding().digest().equals(request.binding().digest());
  }

  @Override
  public synchronized Optional<AcquireResult> recall(AcquireRequest request) {
    if (is(Defect.REMEMBERS_WHEN_RECALLING) && known(request).isEmpty()) {
      AcquireResult unheard = decideAlone(request);
      assert unheard.mode() == AcquireResult.Mode.STORE;
      return Optional.empty();
    }
    return known(request);
  }

  @Override
  public synchronized Refund refund(AcquireRequest request, Instant grantedAt) {
    long takenAt = is(Defect.GIVES_BACK_IN_THE_PRESENT) ? now() : Micros.ceil(grantedAt);
    List<LimitRequest> limitRequests = new ArrayList<>(request.takingParts());
    if (request.isRepeatable() && !is(Defect.GIVES_BACK_TWICE)) {
      Remembered grant = remembered.get(request.requestId());
      if (grant == null || now() >= grant.forgetAtMicros()) {
        return Refund.UNKNOWN;
      } else if (!isOf(grant, request) && !is(Defect.GIVES_BACK_TO_ANYBODY)) {
        return Refund.REUSED;
      }
      remembered.remove(request.requestId());
      if (!is(Defect.GIVES_BACK_IN_THE_PRESENT)) {
        takenAt = Micros.ceil(grant.result().decidedAt());
      }
      if (grant.request().layout() != request.layout()) {
        limitRequests.clear();
      } else if (!is(Defect.GIVES_BACK_WHAT_WAITED)) {
        limitRequests = new ArrayList<>(request.grantedAs(grant.result().outcomes()).takingParts());
      }
    }
    for (LimitRequest part : limitRequests) {
      LimitRequest limitRequest = counting(part);
      Usage usage = usage(limitRequest.policy(), limitRequest.key());
      put(
          limitRequest,
          part.policy().refund(limitRequest.policy(), usage, part.cost(), takenAt, now()));
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
  public synchronized void settle(Policy policy) {
    for (Key key : List.copyOf(held.keySet())) {
      if (key.name().startsWith(policy.name() + "\0")
          && key.kind().equals(policy.limit().getClass())) {
        settle(policy, key);
      }
    }
  }

  @Override
  public synchronized void settle(Policy policy, String key) {
    settle(policy, key(policy, key));
  }

  private void settle(Policy policy, Key key) {
    Held found = held.get(key);
    if (found == null || is(Defect.SETTLES_NOTHING)) {
      return;
    }
    Policy counting = on(policy, found);
    Limit limit = counting.limit();
    if (limit.isCurrent(found.usage(), now())) {
      held.put(key, new Held(found.usage(), found.idleAtMicros(), counting.version()));
      return;
    }
    Usage settled = limit.settle(found.usage(), now());
    held.put(key, new Held(settled, now() + limit.idleMicros(settled, now()), counting.version()));
  }

  /** Returns a request for the policy by which to decide on the usage, see {@link Policy#on}. */
  private LimitRequest counting(LimitRequest request) {
    Held found = held.get(key(request.policy(), request.key()));
    return found == null
        ? request
        : new LimitRequest(on(request.policy(), found), request.key(), request.cost());
  }

  private Policy on(Policy policy, Held found) {
    return is(Defect.LETS_OLDER_VERSIONS_SETTLE)
        ? policy
        : policy.on(found.usage(), found.version());
  }

  @Override
  public void close() {}

  private void put(LimitRequest limitRequest, Usage usage) {
    long idleAt = now() + limitRequest.policy().limit().idleMicros(usage, now());
    long wrong = is(Defect.FORGETS_KEYS_A_MICROSECOND_EARLY) ? 1 : 0;
    held.put(
        key(limitRequest.policy(), limitRequest.key()),
        new Held(usage, idleAt - wrong, limitRequest.policy().version()));
  }

  private Key key(Policy policy, String key) {
    Object kind = is(Defect.COUNTS_ALL_KINDS_TOGETHER) ? "any" : policy.limit().getClass();
    String separator = is(Defect.JOINS_NAME_AND_KEY) ? ":" : "\0";
    String name = policy.name() + separator + key;
    return new Key(kind, is(Defect.FORGETS_CASE) ? name.toLowerCase(Locale.ROOT) : name);
  }

  private AcquireResult result(List<Outcome> decisions) {
    return new AcquireResult(decisions, Micros.instant(now()), AcquireResult.Mode.STORE);
  }

  private long now() {
    return Micros.ceil(clock.instant());
  }

  private boolean is(Defect other) {
    return defect == other;
  }
}
