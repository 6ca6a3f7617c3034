package dev.weir.store.jdbc.limits;

import dev.weir.internal.Micros;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Limit;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Policy;
import dev.weir.limits.Refund;
import dev.weir.limits.Usage;
import dev.weir.limits.internal.AllOrNothing;
import dev.weir.store.jdbc.internal.Changes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Steps in Oracle that are decided by core, one after the other, on rows that were read together.
 * What the steps change is written afterwards. Not thread-safe.
 */
final class LimitBatch {
  /** {@code remove_at} is ahead by at least this, so that few decisions have to change it. */
  private static final long SLACK_MICROS = Micros.floor(Duration.ofMinutes(1));

  /** A row of {@code limit_usage}. */
  record Row(Usage usage, int countedBy, long removeAtMicros) {
    static final Row NONE = new Row(Usage.NONE, Policy.UNORDERED, Micros.EARLIEST);
  }

  private final SortedMap<String, Row> readUsages;
  private final SortedMap<String, Row> usages;
  private final SortedMap<String, RememberedRequest> readRequests;
  private final SortedMap<String, RememberedRequest> requests;
  private final long nowMicros;

  /**
   * @param usages by their ids, those that there are
   * @param requests by their ids, those that are remembered
   */
  LimitBatch(
      SortedMap<String, Row> usages,
      SortedMap<String, RememberedRequest> requests,
      long nowMicros) {
    this.readUsages = usages;
    this.usages = new TreeMap<>(usages);
    this.readRequests = requests;
    this.requests = new TreeMap<>(requests);
    this.nowMicros = nowMicros;
  }

  Changes<String, Row> changedUsages() {
    return new Changes<>(readUsages, usages);
  }

  Changes<String, RememberedRequest> changedRequests() {
    return new Changes<>(readRequests, requests);
  }

  boolean isChanged() {
    return !changedUsages().isEmpty() || !changedRequests().isEmpty();
  }

  LimitCall.CallResult run(List<LimitStep> steps) {
    List<LimitCall.Done> done = new ArrayList<>(steps.size());
    for (LimitStep step : steps) {
      done.add(
          switch (step) {
            case LimitStep.Decide decide -> new LimitCall.Decided(decide(decide.request()));
            case LimitStep.GiveBack back ->
                new LimitCall.GivenBack(giveBack(back.request(), back.takenAtMicros()));
          });
    }
    return new LimitCall.CallResult(done, isChanged());
  }

  private AcquireResult decide(AcquireRequest request) {
    Optional<RememberedRequest> known = known(request);
    if (known.isPresent()) {
      return known.get().resultFor(request, nowMicros);
    }
    List<LimitRequest> taking = request.takingParts();
    List<AllOrNothing.Part> parts = new ArrayList<>(taking.size());
    for (LimitRequest part : taking) {
      parts.add(new AllOrNothing.Part(counting(part).limit(), row(part).usage(), part.cost()));
    }
    AllOrNothing.Step step = AllOrNothing.decide(parts, nowMicros);
    for (int i = 0; i < parts.size(); i++) {
      AllOrNothing.Part part = parts.get(i);
      if (step.isGranted() || !part.limit().isCurrent(part.usage(), nowMicros)) {
        put(taking.get(i), step.next().get(i));
      }
    }
    AcquireResult result =
        new AcquireResult(
            request.merged(step.decisions()), Micros.instant(nowMicros), AcquireResult.Mode.STORE);
    if (step.isGranted() && request.isRepeatable()) {
      requests.put(request.requestId(), RememberedRequest.of(request, result));
    }
    return result;
  }

  private Refund giveBack(AcquireRequest request, long takenAtMicros) {
    if (!request.isRepeatable()) {
      giveBackParts(request, takenAtMicros);
      return Refund.GIVEN_BACK;
    }
    Optional<RememberedRequest> known = known(request);
    if (known.isEmpty()) {
      return Refund.UNKNOWN;
    }
    RememberedRequest grant = known.get();
    if (!grant.isOf(request)) {
      return Refund.REUSED;
    }
    requests.remove(request.requestId());
    if (grant.isInPlaceOf(request)) {
      giveBackParts(request.grantedAs(grant.outcomes()), Micros.ceil(grant.decidedAt()));
    }
    return Refund.GIVEN_BACK;
  }

  private void giveBackParts(AcquireRequest granted, long takenAtMicros) {
    for (LimitRequest part : granted.takingParts()) {
      if (usages.containsKey(id(part))) {
        Usage usage = row(part).usage();
        put(
            part,
            part.policy().refund(counting(part), usage, part.cost(), takenAtMicros, nowMicros));
      }
    }
  }

  /** Settles a usage whose limit has changed, see {@link dev.weir.limits.LimitStore#settle}. */
  void settle(Policy policy, String id) {
    Row row = usages.get(id);
    if (row == null) {
      return;
    }
    Policy counting = policy.on(row.usage(), row.countedBy());
    boolean isCurrent = counting.limit().isCurrent(row.usage(), nowMicros);
    if (!isCurrent || counting.version() > row.countedBy()) {
      put(id, counting, isCurrent ? row.usage() : counting.limit().settle(row.usage(), nowMicros));
    }
  }

  private Optional<RememberedRequest> known(AcquireRequest request) {
    return Optional.ofNullable(requests.get(request.requestId()))
        .filter(grant -> grant.isKnownAt(nowMicros));
  }

  private static String id(LimitRequest part) {
    return UsageId.inOracle(part.policy(), part.key());
  }

  private Row row(LimitRequest part) {
    return usages.getOrDefault(id(part), Row.NONE);
  }

  private Policy counting(LimitRequest part) {
    return part.policy().on(row(part).usage(), row(part).countedBy());
  }

  private void put(LimitRequest part, Usage usage) {
    put(id(part), counting(part), usage);
  }

  private void put(String id, Policy counting, Usage usage) {
    Limit limit = counting.limit();
    long idleAtMicros = nowMicros + limit.idleMicros(usage, nowMicros);
    long removeAtMicros = usages.getOrDefault(id, Row.NONE).removeAtMicros();
    if (idleAtMicros > removeAtMicros) {
      removeAtMicros = idleAtMicros + Math.max(idleAtMicros - nowMicros, SLACK_MICROS);
    }
    usages.put(id, new Row(usage, counting.version(), removeAtMicros));
  }
}
