package dev.weir.store.jdbc.internal;

import java.util.concurrent.ThreadLocalRandom;

/**
 * The increment of a number by which nodes tell whether what they have cached is current.
 *
 * <p>If it were always one, a database that lost commits, such as a standby that took over or a
 * backup that was restored, would reach the same numbers again, and what a node has cached from the
 * lost history would be taken for current. So every statement that advances such a number uses a
 * random step, as does its first value.
 */
public final class RandomStep {
  /** At a thousand steps a second, a number of 63 bits lasts for more than a century. */
  private static final int MAX = 1 << 22;

  private RandomStep() {}

  public static int next() {
    return 1 + ThreadLocalRandom.current().nextInt(MAX);
  }
}
