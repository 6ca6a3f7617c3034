package dev.weir.server.check;

import dev.weir.core.slots.Micros;
import dev.weir.core.slots.Places;
import dev.weir.core.slots.Spread;
import dev.weir.core.slots.Terms;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;

/**
 * Whether events got the earliest window, and in it the lowest place, that they could have.
 *
 * <p>Decidable where places were only ever taken, never given back and never moved: a place that is
 * free now was free always. So no event may lie behind a free place that it could have used, and
 * the latest free place before a window decides for all its events.
 *
 * <p>An event that was cancelled and asked again has left no trace of its first slot; the hole it
 * left is reported although nothing was wrong.
 */
final class EarliestCheck implements SlotCheck {
  private final BookFact book;
  private final Findings findings;
  private final Terms terms;
  private final Vacancy vacancy;
  private final List<SlotFact> window = new ArrayList<>();
  private long startMicros;

  /** The latest usable time before the window. */
  private long vacantMicros = Vacancy.NONE;

  /** Windows before this are not known. */
  private final long fromMicros;

  private int windows;

  private EarliestCheck(BookFact book, long fromMicros, Findings findings) {
    this.book = book;
    this.fromMicros = fromMicros;
    this.findings = findings;
    this.terms = book.inForce();
    this.vacancy = new Vacancy(terms);
  }

  /** The check, or one that only says why it cannot be made. */
  static SlotCheck of(BookFact book, long fromMicros, Findings findings) {
    if (book.isChanged() || book.hasEnded()) {
      findings.note(
          Invariant.EARLIEST,
          book.name() + (book.isChanged() ? " was changed" : " has slots that were given back"));
      return new Undecidable();
    }
    return new EarliestCheck(book, fromMicros, findings);
  }

  private record Undecidable() implements SlotCheck {
    @Override
    public void slot(SlotFact slot) {}

    @Override
    public void end() {}
  }

  @Override
  public void slot(SlotFact slot) {
    if (slot.windowStartMicros() < fromMicros) {
      return;
    }
    if (windows == 0) {
      beginWindow(slot.windowStartMicros());
    } else if (slot.windowStartMicros() != startMicros) {
      long behind = startMicros + terms.windowMicros();
      endWindow();
      beginWindow(slot.windowStartMicros());
      vacantMicros = Math.max(vacantMicros, vacancy.latestInEmpty(behind, startMicros));
    }
    if (windows == 1 && vacantMicros == Vacancy.NONE) {
      // Before the first event of all, every window is empty.
      long begin = Math.max(fromMicros, terms.windowStart(wanted(slot)));
      vacantMicros = vacancy.latestInEmpty(begin, startMicros);
    }
    window.add(slot);
    if (vacantMicros >= wanted(slot)) {
      findings.breach(
          Invariant.EARLIEST,
          "%s wanted %s, and %s was free"
              .formatted(
                  slot.in(book), Micros.instant(wanted(slot)), Micros.instant(vacantMicros)));
    }
  }

  @Override
  public void end() {
    endWindow();
  }

  private void beginWindow(long start) {
    windows++;
    startMicros = start;
  }

  private void endWindow() {
    BitSet taken = new BitSet();
    window.forEach(slot -> taken.set(slot.place()));
    if (terms.spread() == Spread.EVEN) {
      lowestFirst(taken);
    }
    vacantMicros = Math.max(vacantMicros, vacancy.latest(startMicros, taken));
    findings.looked(Invariant.EARLIEST, "events", window.size());
    window.clear();
  }

  /** In the order of places: the latest free one below decides whether one below was usable. */
  private void lowestFirst(BitSet taken) {
    window.sort(Comparator.comparingInt(SlotFact::place));
    int place = 0;
    long latestBelow = Vacancy.NONE;
    for (SlotFact slot : window) {
      for (; place < slot.place(); place++) {
        long time = startMicros + Places.offsetMicros(place, terms.windowMicros());
        if (!taken.get(place) && time > latestBelow && vacancy.isOpen(time)) {
          latestBelow = time;
        }
      }
      if (latestBelow >= wanted(slot)) {
        findings.breach(
            Invariant.EARLIEST,
            "%s has place %d, and a lower one at %s was free"
                .formatted(slot.in(book), slot.place(), Micros.instant(latestBelow)));
      }
    }
  }

  private long wanted(SlotFact slot) {
    return Math.max(slot.wantedMicros(terms), terms.pausedUntilMicros());
  }
}
