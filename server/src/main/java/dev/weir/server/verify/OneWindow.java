package dev.weir.server.verify;

import dev.weir.slots.Calendar;
import dev.weir.slots.SlotPolicy;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * A window under the policy of one version, with its events of that version and of earlier ones.
 *
 * <p>An event from windows of another size, or one that was adopted, lies between the places and
 * has taken one of them, but it is unknown which; such events are counted.
 */
final class OneWindow {
  private final SlotPolicy policy;
  private final int version;
  private final long startMicros;
  private final List<SlotFact> judged = new ArrayList<>();
  private final BitSet held = new BitSet();
  private final BitSet traces = new BitSet();
  private int offGridHeld;
  private int offGrid;

  OneWindow(SlotPolicy policy, int version, long startMicros) {
    this.policy = policy;
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
      offGrid++;
      offGridHeld += slot.holds() ? 1 : 0;
    }
    if (slot.version() == version && !slot.isAdopted()) {
      judged.add(slot);
    }
  }

  long startMicros() {
    return startMicros;
  }

  boolean isEmpty() {
    return traces.isEmpty() && offGrid == 0;
  }

  /** Returns the events that the version itself has assigned. */
  List<SlotFact> judged() {
    return judged;
  }

  /** Returns the places that events hold or have held. */
  BitSet traces() {
    return traces;
  }

  int offGrid() {
    return offGrid;
  }

  /** Returns the latest time at which a place was free all along. */
  long latestFree(Vacancy vacancy) {
    if (offGrid == 0) {
      return vacancy.latest(startMicros, traces);
    }
    // It is unknown which places are free, only that some are. All of them are usable for an event
    // that may use the whole window.
    return traces.cardinality() + offGrid < policy.maxPerWindow()
            && policy.calendar() instanceof Calendar.Always
        ? startMicros
        : Vacancy.NONE;
  }

  /** Returns the latest time at which a place is free now, or may be. */
  long latestPerhapsFree(Vacancy vacancy) {
    if (offGrid == 0) {
      return vacancy.latest(startMicros, held);
    }
    return held.cardinality() + offGridHeld < policy.maxPerWindow()
        ? startMicros + policy.windowMicros() - 1
        : Vacancy.NONE;
  }
}
