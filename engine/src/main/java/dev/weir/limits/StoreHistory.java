package dev.weir.limits;

import java.util.Optional;

/**
 * Records, outside a store that may lose its data, whether that store was ever used and the last
 * mark seen in it. An empty store is new if it was never used, and has lost its counts if it was; a
 * store that is behind the last mark has lost some.
 */
public interface StoreHistory {
  /** Records nothing: an empty store that this process has not seen filled counts as new. */
  StoreHistory NONE =
      new StoreHistory() {
        @Override
        public void prepare(String store, Step step) {
          step.prepare(new Past(true, Optional.empty()));
        }

        @Override
        public void saw(String store, Mark mark) {}
      };

  /**
   * The progress of a store. Later writes have later marks.
   *
   * @param sinceMicros the store has everything written from this time up to the mark
   * @param writtenAtMicros the time at which the mark was written
   * @param server the server of the store that wrote it
   * @param joinedAtMicros the time of the last mark of another server that this server found
   */
  record Mark(long sinceMicros, long writtenAtMicros, long server, long joinedAtMicros) {}

  /**
   * The recorded history of a store.
   *
   * @param isFirstUse true if the store cannot have contained anything before
   * @param latest the latest mark that any node has seen
   */
  record Past(boolean isFirstUse, Optional<Mark> latest) {}

  /** Prepares a store for use. */
  @FunctionalInterface
  interface Step {
    /** Prepares the store. */
    void prepare(Past past);
  }

  /**
   * Runs the step, one node at a time. If it does not throw, the store is recorded as used from
   * then on.
   *
   * @param store the name of the store
   * @throws dev.weir.StoreException if the record cannot be read or written
   */
  void prepare(String store, Step step);

  /**
   * Records a mark, unless a later one is recorded.
   *
   * @param store the name of a store that was prepared before
   * @throws dev.weir.StoreException if it cannot be written
   */
  void saw(String store, Mark mark);
}
