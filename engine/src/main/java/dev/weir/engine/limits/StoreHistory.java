package dev.weir.engine.limits;

import java.util.Optional;

/**
 * Remembers, apart from a store that may lose what it keeps, whether that store was ever used and
 * what was last seen of it. An empty store is new if it was not used, and has lost its counts if it
 * was; one that is behind what was seen has lost some.
 */
public interface StoreHistory {
  /** Remembers nothing: an empty store that this process has not seen filled is taken for new. */
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
   * How far a store has come. Whatever it writes later has a later mark.
   *
   * @param sinceMicros what was written since then is there, up to this mark
   * @param writtenAtMicros when the mark was written
   * @param server which of the store's servers wrote it
   * @param joinedAtMicros when the last mark was written that this server found of another
   */
  record Mark(long sinceMicros, long writtenAtMicros, long server, long joinedAtMicros) {}

  /**
   * What is known of a store.
   *
   * @param isFirstUse whether nothing can have been kept in the store before
   * @param latest the latest mark that any node has seen
   */
  record Past(boolean isFirstUse, Optional<Mark> latest) {}

  /** Prepares a store for use. */
  @FunctionalInterface
  interface Step {
    /** Makes the store ready. */
    void prepare(Past past);
  }

  /**
   * Takes the step, one node at a time. If it does not throw, the store has been used from then on.
   *
   * @param store its name
   * @throws dev.weir.engine.StoreException if what is remembered cannot be read or written
   */
  void prepare(String store, Step step);

  /**
   * Remembers a mark, unless a later one is remembered.
   *
   * @param store its name; it was prepared before
   * @throws dev.weir.engine.StoreException if that cannot be written
   */
  void saw(String store, Mark mark);
}
