package dev.weir.server.verify;

import dev.weir.core.slots.Calendar;
import dev.weir.core.slots.SlotPolicy;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * A window of one version's terms, with the events in it of that version and those before.
 *
 * <p>An event from windows of another size lies between the places and has taken one of them,
 * nobody can tell which; those are counted.
 */
final class OneWindow {
  private final SlotPolicy terms;
  private final int version;
  private final long startMicros;
  private final List<SlotFact> judged = new ArrayList<>();
  private final BitSet held = new BitSet();
  private final BitSet traces = new BitSet();
  private int lyingHeld;
  private int lying;

  OneWindow(SlotPolicy terms, int version, long startMicros) {
    this.terms = terms;
    this.version = version;
    this.startMicros = startMicros;
  }

  void add(SlotFact slot, boolean isOfThisSize) {
    if (isOfThisSize && slot.place() >= 0) {
      traces.set(slot.place());
      if (slot.holds()) {
        held.set(slot.place());
      }
    } else {
      lying++;
      lyingHeld += slot.holds() ? 1 : 0;
    }
    if (slot.version() == version) {
      judged.add(slot);
    }
  }

  long startMicros() {
    return startMicros;
  }

  boolean isEmpty() {
    return traces.isEmpty() && lying == 0;
  }

  /** The events of the version itself. */
  List<SlotFact> judged() {
    return judged;
  }

  /** The places that events hold or have held. */
  BitSet traces() {
    return traces;
  }

  int lying() {
    return lying;
  }

  /** The latest time at which a place was free all along. */
  long latestFree(Vacancy vacancy) {
    if (lying == 0) {
      return vacancy.latest(startMicros, traces);
    }
    // Which places are free is not known, only that there are some. All of them are usable for
    // whoever may use the whole window.
    return traces.cardinality() + lying < terms.maxPerWindow()
            && terms.calendar() instanceof Calendar.Always
        ? startMicros
        : Vacancy.NONE;
  }

  /** The latest time at which a place is free now, or may be. */
  long latestPerhapsFree(Vacancy vacancy) {
    if (lying == 0) {
      return vacancy.latest(startMicros, held);
    }
    return held.cardinality() + lyingHeld < terms.maxPerWindow()
        ? startMicros + terms.windowMicros() - 1
        : Vacancy.NONE;
  }
}
