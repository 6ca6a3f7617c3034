package dev.weir;

/**
 * The right of one of several nodes to run a part that only one of them may run. Thread-safe. The
 * methods throw {@link StoreException} if the store of the ownership fails.
 */
public interface PartOwnership extends AutoCloseable {
  /** Of a part that any number of nodes may run. */
  PartOwnership SHARED =
      new PartOwnership() {
        @Override
        public boolean acquire() {
          return true;
        }

        @Override
        public boolean isOwner() {
          return true;
        }

        @Override
        public String owner() {
          return "every node";
        }

        @Override
        public void close() {}
      };

  /**
   * Becomes the owner unless another node is. An owner calls it again from time to time: its
   * ownership ends with its connection to the store, and another node may have it since.
   *
   * @return true if this node is the owner
   */
  boolean acquire();

  /**
   * Returns true if no other node has become the owner since this one did. It is asked before each
   * step that must not be done by two nodes.
   */
  boolean isOwner();

  /** Returns for people where the owner runs; empty if there has never been one. */
  String owner();

  /** Gives the ownership up, so that another node can acquire it. */
  @Override
  void close();
}
