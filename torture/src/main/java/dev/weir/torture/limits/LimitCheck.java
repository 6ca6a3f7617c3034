package dev.weir.torture.limits;

import dev.weir.torture.capability.Check;
import dev.weir.torture.capability.Findings;
import dev.weir.torture.capability.Promise;
import dev.weir.torture.capability.Round;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.history.FaultNote;
import dev.weir.torture.history.Json;
import dev.weir.torture.history.Loss;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks L1 to L9 from what callers saw. What a store has used of a key is known at the end from a
 * peek: at least what was granted, at most that and what may have been granted without an answer.
 */
final class LimitCheck implements Check {
  private final Round round;
  private final Map<String, Usage> usages = new LinkedHashMap<>();

  LimitCheck(Round round) {
    this.round = round;
  }

  @Override
  public void check(Findings findings) {
    for (Exchange exchange : round.history().exchanges()) {
      if (exchange.kind().equals(LimitLoad.CHECK) || exchange.kind().equals(LimitLoad.PEEK)) {
        usages.computeIfAbsent(exchange.subject(), any -> new Usage()).add(exchange);
      }
    }
    // After a loss each key counts as used up, and ids are forgotten, as the documents say.
    boolean isLoss = round.history().faults().stream().anyMatch(FaultNote::mayUseUp);
    usages.forEach(
        (subject, usage) -> {
          Key key = new Key(subject, usage, findings);
          key.limit();
          if (!isLoss && !key.isForgotten()) {
            key.exact();
          }
        });
    reused(findings, isLoss);
    new LeaseCheck(round.history().exchanges(), this::mayBeForgotten, findings).check();
    new ModeCheck(round.history().exchanges(), round.history().faults(), findings).check();
    boolean isNothingLost =
        round.history().faults().stream().allMatch(fault -> fault.loss() == Loss.NONE);
    if (isNothingLost) {
      new RefundCheck(round.history().exchanges(), findings).check();
      new PeekCheck(round.history().exchanges(), findings).check();
    }
  }

  private boolean mayBeForgotten(Exchange exchange) {
    return round.history().mayBeForgotten(exchange);
  }

  /** What was granted to a key, without what may be granted once more. */
  private List<Exchange> certainGrants(Usage usage) {
    return usage.grants().stream().filter(grant -> !mayBeForgotten(grant)).toList();
  }

  /** An id of a granted request, sent with another request, is 409. */
  private void reused(Findings findings, boolean isLoss) {
    for (Exchange reuse : round.history().exchanges()) {
      if (reuse.kind().equals(LimitLoad.REUSE) && !isLoss) {
        findings.looked(Promise.L4, 1);
        if (reuse.isDone() && !mayBeForgotten(reuse)) {
          String id = Json.read(reuse.request()).text("requestId");
          List<Exchange> first =
              round.history().exchanges().stream()
                  .filter(check -> check.kind().equals(LimitLoad.CHECK) && check.isDone())
                  .filter(check -> check.request().contains("\"" + id + "\""))
                  .limit(1)
                  .toList();
          if (!mayBeForgotten(first.getFirst())) {
            findings.broken(
                Promise.L4,
                id + " was granted for two different requests",
                List.of(first.getFirst(), reuse));
          }
        }
      }
    }
  }

  /** One key of one rule. */
  private final class Key {
    private final String subject;
    private final String rule;
    private final Usage usage;
    private final Findings findings;

    Key(String subject, Usage usage, Findings findings) {
      this.subject = subject;
      this.rule = subject.replaceFirst("/.*", "");
      this.usage = usage;
      this.findings = findings;
    }

    private boolean is(LimitRule other) {
      return rule.equals(other.name());
    }

    /** Whether a restore may have lost some of its checks, or a change of its rule. */
    boolean isForgotten() {
      return usage.checks().stream().anyMatch(LimitCheck.this::mayBeForgotten)
          || (is(LimitRule.CHANGING)
              && round.history().faults().stream().anyMatch(FaultNote::isRestore));
    }

    /** Never more than the limit, whatever happened. */
    void limit() {
      findings.looked(Promise.L1, 1);
      if (is(LimitRule.BUCKET) || rule.equals(LimitLoad.BUCKET_RESOURCE)) {
        refill();
      } else if (!is(LimitRule.SOLE)) {
        long max = maxGranted();
        List<Exchange> grants = certainGrants(usage);
        if (Usage.cost(grants) > max) {
          findings.broken(
              Promise.L1,
              "%s was granted %d, and its limit is %d".formatted(subject, Usage.cost(grants), max),
              grants);
        }
      }
    }

    private long maxGranted() {
      if (is(LimitRule.CHANGING)) {
        return round.history().exchanges().stream()
            .filter(change -> change.kind().equals(LimitLoad.RULE) && change.subject().equals(rule))
            .mapToLong(change -> Json.read(change.request()).number("allowedRequests"))
            .filter(limit -> limit < LimitLoad.FINAL_LIMIT)
            .max()
            .orElseThrow();
      }
      long limit = is(LimitRule.FIRST) ? LimitRule.SECOND.limit() : LimitRule.valueOf(rule).limit();
      // Each of the two stores may grant the limit.
      return is(LimitRule.FALLBACK) && round.stage().countsInRedis() ? 2 * limit : limit;
    }

    /** A bucket gives no more than its capacity and what is refilled meanwhile. */
    private void refill() {
      findings.looked(Promise.L6, 1);
      List<Exchange> grants = certainGrants(usage);
      for (int i = 0; i < grants.size(); i++) {
        long taken = 0;
        for (int j = i; j < grants.size(); j++) {
          taken += Usage.cost(grants.get(j));
          long beginNanos = Math.min(grants.get(i).beginNanos(), grants.get(j).beginNanos());
          double seconds = (grants.get(j).endNanos() - beginNanos) / 1e9;
          if (taken > LimitRule.BUCKET.limit() + LimitRule.REFILL_RATE * seconds) {
            findings.broken(
                Promise.L6,
                "%s gave %d within %.3f s, with a capacity of %d and %s refilled in a second"
                    .formatted(
                        subject, taken, seconds, LimitRule.BUCKET.limit(), LimitRule.REFILL_RATE),
                grants.subList(i, j + 1));
            return;
          }
        }
      }
    }

    /** What holds if no store has lost anything. */
    void exact() {
      if (is(LimitRule.SOLE)) {
        retry();
      }
      if (is(LimitRule.ONCE)) {
        usage.byRequestId().forEach(this::repeated);
      }
      usage.peek().ifPresent(this::used);
    }

    private void used(Exchange peek) {
      long limit = is(LimitRule.CHANGING) ? LimitLoad.FINAL_LIMIT : LimitRule.valueOf(rule).limit();
      List<Long> remaining = Usage.remaining(peek);
      long used = limit - remaining.getFirst();
      if (is(LimitRule.FIRST)) {
        findings.looked(Promise.L3, 1);
        long other = LimitRule.SECOND.limit() - remaining.getLast();
        if (used != other) {
          findings.broken(
              Promise.L3,
              "%s has used %d of one rule and %d of the other, which are only taken together"
                  .formatted(subject, used, other),
              List.of(peek));
        }
      }
      Promise lost = is(LimitRule.CHANGING) ? Promise.L5 : Promise.L1;
      findings.looked(lost, 1);
      if (used < usage.granted()) {
        findings.broken(
            lost,
            "%s was granted %d, and only %d count as used"
                .formatted(subject, usage.granted(), used),
            witness(usage.grants(), peek));
      }
      Promise taken =
          is(LimitRule.ONCE) ? Promise.L4 : is(LimitRule.PEEKED) ? Promise.L8 : Promise.L2;
      long max = is(LimitRule.ONCE) ? usage.maxOfIds() : usage.granted() + usage.unknown();
      findings.looked(taken, 1);
      if (used > max) {
        findings.broken(
            taken,
            "%d of %s count as used, and at most %d were granted".formatted(used, subject, max),
            witness(usage.checks(), peek));
      }
    }

    private List<Exchange> witness(List<Exchange> checks, Exchange peek) {
      List<Exchange> witness = new ArrayList<>(checks);
      witness.add(peek);
      return witness;
    }

    private void repeated(Usage.Repeated repeated) {
      findings.looked(Promise.L4, 1);
      List<Exchange> granted = repeated.checks().stream().filter(Exchange::isDone).toList();
      for (Exchange one : granted) {
        for (Exchange other : granted) {
          boolean bothNew = !one.fields().isTrue("replayed") && !other.fields().isTrue("replayed");
          boolean differ = !one.fields().text("decidedAt").equals(other.fields().text("decidedAt"));
          if (one.number() < other.number() && (bothNew || differ)) {
            findings.broken(
                Promise.L4, repeated.requestId() + " was granted twice", List.of(one, other));
            return;
          }
        }
      }
    }

    /** The last check came as late as the one before it was told to come. */
    private void retry() {
      List<Exchange> checks = usage.checks();
      boolean isKnown =
          checks.size() == LimitRule.SOLE.limit() + 2
              && checks.stream().noneMatch(check -> check.isUnknown() || check.status() == 503);
      if (isKnown) {
        findings.looked(Promise.L2, 1);
        Exchange told = checks.get(checks.size() - 2);
        Exchange late = checks.getLast();
        if (told.status() == 429 && late.status() == 429) {
          findings.broken(
              Promise.L2,
              subject + " was refused again after the time that it was told to wait",
              List.of(told, late));
        }
      }
    }
  }
}
