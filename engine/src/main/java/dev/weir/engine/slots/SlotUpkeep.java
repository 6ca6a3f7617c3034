package dev.weir.engine.slots;

import java.time.Instant;

/**
 * The port to what has to be done now and then. Each step is small and holds no lock for long.
 *
 * <p>A slot may be given for a time that has passed, so its age counts from the later of its
 * scheduled time and its assignment: "before a time" means that both were before it.
 */
public interface SlotUpkeep {
  /** Runs {@code work} unless another node does so now. Returns whether it ran. */
  boolean alone(Runnable work);

  /**
   * Counts the slots that were due and assigned before a time and never confirmed; counting stops
   * at {@code most}.
   */
  long countLeaked(Instant before, int most);

  /**
   * Takes back at most {@code most} slots that were due and assigned before a time and never
   * confirmed.
   */
  int reclaim(Instant before, int most);

  /**
   * Removes the slots of windows that ended before a time if all of them were assigned before it,
   * and those windows, once no slot is left before them. A window goes with all its slots or not at
   * all.
   *
   * @param most stop after this many slots; the last windows may hold more than are missing to it
   * @return the number of slots removed, less than {@code most} if no more are old enough
   */
  int removePast(Instant before, int most);

  /** Removes at most {@code most} things that nothing reads any more. Returns how many. */
  int tidy(int most);

  /** The store's clock. */
  Instant now();
}
