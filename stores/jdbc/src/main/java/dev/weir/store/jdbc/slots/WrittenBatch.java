package dev.weir.store.jdbc.slots;

import dev.weir.engine.slots.BatchPlan;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A batch that was planned and written: its pictures are true once it is committed.
 *
 * @param step by how much it moved the books' numbers on
 */
record WrittenBatch(BatchPlan plan, Map<String, JdbcWindows> books, int step) {
  /** At a thousand batches a second, numbers last for more than a century. */
  private static final int LONGEST_STEP = 1 << 22;

  /**
   * By how much books' numbers go up. Not by one: a database that lost commits, such as a standby
   * that took over, would count the same numbers again, and a picture of what was lost would be
   * taken for true.
   */
  static int newStep() {
    return 1 + ThreadLocalRandom.current().nextInt(LONGEST_STEP);
  }

  void bringBackPictures(OccupancyCache pictures) {
    for (JdbcWindows book : books.values()) {
      pictures.bringBack(
          new OccupancyCache.Kept(book.picture(), book.config(), book.row().movedOn(step)));
    }
  }
}
