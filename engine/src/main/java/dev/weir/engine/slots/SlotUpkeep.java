package dev.weir.engine.slots;

import java.time.Instant;

/** The port to what has to be done now and then. Each step is small and holds no lock for long. */
public interface SlotUpkeep {
  /** Runs {@code work} unless another node does so now. Returns whether it ran. */
  boolean alone(Runnable work);

  /** How many slots were due before a time and never confirmed; counting stops at {@code most}. */
  long countLeaked(Instant dueBefore, int most);

  /** Takes back at most {@code most} slots that were due before a time and never confirmed. */
  int reclaim(Instant dueBefore, int most);

  /** Removes at most {@code most} slots scheduled before a time, and the windows they lay in. */
  int removePast(Instant scheduledBefore, int most);

  /** Removes at most {@code most} things that nothing reads any more. Returns how many. */
  int tidy(int most);

  /** The store's clock. */
  Instant now();
}
