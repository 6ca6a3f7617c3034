package dev.weir.engine.limits;

/**
 * Remembers, apart from a store that may lose what it keeps, whether that store was ever used. An
 * empty store is new if it was not, and has lost its counts if it was.
 */
public interface StoreHistory {
  /** Remembers nothing: an empty store that this process has not seen filled is taken for new. */
  StoreHistory NONE = (store, step) -> step.prepare(true);

  /** Prepares a store for use. */
  @FunctionalInterface
  interface Step {
    /**
     * Makes the store ready.
     *
     * @param isFirstUse whether nothing can have been kept in the store before
     */
    void prepare(boolean isFirstUse);
  }

  /**
   * Takes the step, one node at a time. If it does not throw, the store has been used from then on.
   *
   * @param store its name
   * @throws dev.weir.engine.StoreException if what is remembered cannot be read or written
   */
  void prepare(String store, Step step);
}
