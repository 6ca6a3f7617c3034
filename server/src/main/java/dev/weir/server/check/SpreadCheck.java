package dev.weir.server.check;

import dev.weir.core.slots.Spread;
import dev.weir.core.slots.Terms;
import java.util.HashMap;
import java.util.Map;

/**
 * How dense evenly spread events lie, for the events of each version by themselves.
 *
 * <p>The bound for all intervals at once is a bucket that leaks: with the i-th event at time t(i),
 * the events from i to j keep it if {@code f(j) - f(i) <= log2(max) / 3}, where {@code f(i) = i -
 * t(i) × max / size}. The bucket's level is f(j) less the least f so far, so no interval is missed.
 */
final class SpreadCheck implements SlotCheck {
  private final BookFact book;
  private final Findings findings;
  private final Map<Integer, Bucket> buckets = new HashMap<>();

  SpreadCheck(BookFact book, Findings findings) {
    this.book = book;
    this.findings = findings;
  }

  @Override
  public void slot(SlotFact slot) {
    Terms terms = book.terms(slot.version());
    if (slot.holds() && terms.spread() == Spread.EVEN) {
      Bucket bucket = buckets.get(slot.version());
      if (bucket == null) {
        buckets.put(slot.version(), new Bucket(terms, slot));
      } else {
        bucket.add(slot);
      }
    }
  }

  @Override
  public void end() {
    buckets.values().forEach(bucket -> findings.looked(Invariant.SPREAD, "events", bucket.events));
  }

  /** In units of size: an event adds {@code size}, a microsecond takes {@code max} away. */
  private final class Bucket {
    private final Terms terms;
    private final double fullMicros;
    private SlotFact last;
    private long levelMicros;
    private long events = 1;

    Bucket(Terms terms, SlotFact first) {
      this.terms = terms;
      this.last = first;
      double extra = Math.log(terms.maxPerWindow()) / Math.log(2) / 3;
      // Places are cut to whole microseconds, which moves two of them by less than one.
      this.fullMicros = extra * terms.windowMicros() + terms.maxPerWindow() + 1e-6;
    }

    void add(SlotFact slot) {
      events++;
      long apartMicros = slot.scheduledMicros() - last.scheduledMicros();
      long max = terms.maxPerWindow();
      long size = terms.windowMicros();
      if (2 * max * (Math.min(apartMicros, size) + 1) < size) {
        findings.breach(
            Invariant.SPREAD,
            "%s is only %d µs after event \"%s\""
                .formatted(slot.in(book), apartMicros, last.eventId()));
      }
      // The level is far below 8 windows, so a longer gap empties the bucket all the same.
      levelMicros = Math.max(0, levelMicros + size - max * Math.min(apartMicros, 8 * size));
      if (levelMicros > fullMicros) {
        findings.breach(
            Invariant.SPREAD,
            "%s ends an interval with %.2f events more than its share, %.2f may be"
                .formatted(
                    slot.in(book),
                    1 + (double) levelMicros / (double) size,
                    1 + fullMicros / (double) size));
      }
      last = slot;
    }
  }
}
