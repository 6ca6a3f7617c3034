package dev.weir.server.verify;

import dev.weir.internal.Micros;
import dev.weir.internal.Places;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.Spread;
import dev.weir.slots.planning.internal.OpenTimes;
import dev.weir.slots.planning.internal.PolicyTimes;

/**
 * Checks each slot separately: not too early, not too late, open, in its window, on its place. An
 * adopted one is only in its window and not before its requested time.
 */
final class TimesCheck implements SlotCheck {
  private final ConfigFact config;
  private final Findings findings;
  private long slots;
  private long adopted;

  TimesCheck(ConfigFact config, Findings findings) {
    this.config = config;
    this.findings = findings;
  }

  @Override
  public void slot(SlotFact slot) {
    slots++;
    SlotPolicy policy = config.policy(slot.version());
    if (slot.scheduledMicros() < slot.requestedMicros()) {
      breach(slot, "is before its requested time " + Micros.instant(slot.requestedMicros()));
    }
    if (slot.windowStartMicros() != policy.windowStart(slot.scheduledMicros())) {
      breach(
          slot,
          "is not in its window, which starts at " + Micros.instant(slot.windowStartMicros()));
    }
    if (slot.isAdopted()) {
      adopted++;
    } else {
      assigned(slot, policy);
    }
  }

  /** Checks what Weir has decided, which it has not for events that it has taken over. */
  private void assigned(SlotFact slot, SlotPolicy policy) {
    long scheduled = slot.scheduledMicros();
    long wanted = slot.wantedMicros(policy);
    if (scheduled >= slot.requestedMicros() && scheduled < wanted) {
      breach(slot, "was past when it was assigned, at " + Micros.instant(slot.assignedAtMicros()));
    }
    if (policy.maxDelay().isPresent()
        && scheduled - wanted > Micros.floor(policy.maxDelay().get())) {
      breach(slot, "is later than the max delay of " + policy.maxDelay().get());
    }
    if (OpenTimes.at(policy.calendar(), scheduled).fromMicros() > scheduled) {
      breach(slot, "is in closed time");
    }
    if (scheduled < PolicyTimes.pausedUntilMicros(policy)) {
      breach(
          slot,
          "is in paused time, until " + Micros.instant(PolicyTimes.pausedUntilMicros(policy)));
    }
    long start = slot.windowStartMicros();
    if (slot.place() < 0 || slot.place() >= policy.maxPerWindow()) {
      breach(slot, "has place %d of %d".formatted(slot.place(), policy.maxPerWindow()));
    } else if (policy.spread() == Spread.EVEN
        && scheduled != start + Places.offsetMicros(slot.place(), policy.windowMicros())) {
      breach(slot, "is not at the time of its place %d".formatted(slot.place()));
    }
  }

  @Override
  public void end() {
    findings.looked(Invariant.TIMES, "slots", slots);
    if (adopted > 0) {
      findings.looked(Invariant.TIMES, "adopted slots, whose times are taken as they are", adopted);
    }
  }

  private void breach(SlotFact slot, String what) {
    findings.breach(Invariant.TIMES, slot.in(config) + " " + what);
  }
}
