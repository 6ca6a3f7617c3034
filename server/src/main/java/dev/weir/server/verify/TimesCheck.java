package dev.weir.server.verify;

import dev.weir.core.Micros;
import dev.weir.core.slots.Places;
import dev.weir.core.slots.SlotPolicy;
import dev.weir.core.slots.Spread;

/** Checks each slot separately: not too early, not too late, open, in its window, on its place. */
final class TimesCheck implements SlotCheck {
  private final BookFact book;
  private final Findings findings;
  private long slots;

  TimesCheck(BookFact book, Findings findings) {
    this.book = book;
    this.findings = findings;
  }

  @Override
  public void slot(SlotFact slot) {
    slots++;
    SlotPolicy terms = book.terms(slot.version());
    long scheduled = slot.scheduledMicros();
    long wanted = slot.wantedMicros(terms);
    if (scheduled < slot.requestedMicros()) {
      breach(slot, "is before its requested time " + Micros.instant(slot.requestedMicros()));
    } else if (scheduled < wanted) {
      breach(slot, "was past when it was assigned, at " + Micros.instant(slot.assignedAtMicros()));
    }
    if (terms.maxDelayMicros() != SlotPolicy.UNBOUNDED
        && scheduled - wanted > terms.maxDelayMicros()) {
      breach(slot, "is later than the longest delay of " + Micros.duration(terms.maxDelayMicros()));
    }
    if (terms.calendar().openAt(scheduled).fromMicros() > scheduled) {
      breach(slot, "is in closed time");
    }
    if (scheduled < terms.pausedUntilMicros()) {
      breach(slot, "is in paused time, until " + Micros.instant(terms.pausedUntilMicros()));
    }
    long start = slot.windowStartMicros();
    if (start != terms.windowStart(scheduled)) {
      breach(slot, "is not in its window, which starts at " + Micros.instant(start));
    }
    if (slot.place() < 0 || slot.place() >= terms.maxPerWindow()) {
      breach(slot, "has place %d of %d".formatted(slot.place(), terms.maxPerWindow()));
    } else if (terms.spread() == Spread.EVEN
        && scheduled != start + Places.offsetMicros(slot.place(), terms.windowMicros())) {
      breach(slot, "is not where its place %d lies".formatted(slot.place()));
    }
  }

  @Override
  public void end() {
    findings.looked(Invariant.TIMES, "slots", slots);
  }

  private void breach(SlotFact slot, String what) {
    findings.breach(Invariant.TIMES, slot.in(book) + " " + what);
  }
}
