package dev.weir.slots;

import java.time.Instant;

/**
 * The periodic maintenance of a slot store. Each step is small and holds no lock for long.
 *
 * <p>A slot may be assigned for a time that has passed, so its age counts from the later of its
 * scheduled time and its assignment: "before a time" means that both were before it.
 */
public interface SlotUpkeep {
  /** Runs {@code work} unless another node is doing so. Returns true if it ran. */
  boolean runExclusively(Runnable work);

  /**
   * Counts the slots that were due and assigned before a time and never confirmed, of the
   * configurations that have a confirmed slot: confirming is optional, and where no caller does it,
   * a slot without a confirmation tells nothing. Counting stops at {@code max}.
   */
  long countLeaked(Instant before, int max);

  /**
   * Reclaims up to {@code max} slots that were due and assigned before a time and never confirmed.
   */
  int reclaim(Instant before, int max);

  /**
   * Removes the slots of windows that ended before a time if all of them were assigned before it,
   * and those windows once no slot is left before them. A window is removed with all its slots or
   * not at all.
   *
   * @param max the number of slots after which to stop; it may be exceeded by the slots of the last
   *     windows
   * @return the number of slots removed; less than {@code max} if no more are old enough
   */
  int removePast(Instant before, int max);

  /** Removes up to {@code max} records that are no longer read. Returns the number removed. */
  int tidy(int max);

  /** Returns the time of the store's clock. */
  Instant now();
}
