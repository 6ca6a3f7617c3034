package dev.weir.server.dashboard;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/**
 * The samples of the last 15 minutes, at most one for each second. Thread-safe; its memory is
 * bounded.
 */
final class SampleRing {
  /** The number of seconds it covers. */
  static final int SECONDS = 15 * 60;

  /**
   * A clock that was set back by more than this starts a new history; a smaller step is within the
   * accuracy of the thread that takes samples.
   */
  private static final long MAX_STEP_BACK = 2;

  private final Deque<Sample> samples = new ArrayDeque<>(SECONDS);

  /**
   * Adds a sample. One for a second that is there already is merged with it.
   *
   * @return true if it starts a new history, because the clock was set back
   */
  synchronized boolean add(Sample sample) {
    Sample newest = samples.peekLast();
    boolean isNewHistory = newest != null && sample.second() < newest.second() - MAX_STEP_BACK;
    if (isNewHistory) {
      samples.clear();
      newest = null;
    }
    if (newest != null && sample.second() <= newest.second()) {
      samples.removeLast();
      samples.addLast(newest.merged(sample));
      return false;
    }
    while (!samples.isEmpty() && samples.getFirst().second() <= sample.second() - SECONDS) {
      samples.removeFirst();
    }
    samples.addLast(sample);
    return isNewHistory;
  }

  /** Returns the samples after a second, the oldest first. */
  synchronized List<Sample> after(long second) {
    List<Sample> found = new ArrayList<>();
    for (Sample sample : samples) {
      if (sample.second() > second) {
        found.add(sample);
      }
    }
    return found;
  }

  /** Returns up to {@code max} of the newest samples, the newest first. */
  synchronized List<Sample> newest(int max) {
    List<Sample> found = new ArrayList<>(max);
    for (Iterator<Sample> each = samples.descendingIterator();
        each.hasNext() && found.size() < max; ) {
      found.add(each.next());
    }
    return found;
  }
}
