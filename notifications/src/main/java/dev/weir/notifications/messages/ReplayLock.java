package dev.weir.notifications.messages;

/**
 * Lets one caller at a time publish dead letters again, of all nodes: two would publish the same
 * ones. A node that crashes holds the lock no longer. Thread-safe.
 */
@FunctionalInterface
public interface ReplayLock {
  /**
   * Runs work, unless another caller runs its own.
   *
   * @return false if the work was not run
   * @throws dev.weir.StoreException if the store fails; the work may have been run
   */
  boolean run(Runnable work);
}
