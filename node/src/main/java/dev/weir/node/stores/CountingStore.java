package dev.weir.node.stores;

/**
 * Where limits are counted.
 *
 * @param name {@code memory}, {@code postgresql}, {@code oracle}, {@code redis} or {@code
 *     surrealdb}
 * @param isAwaited whether a decision waits for a store outside of this process
 * @param isElsewhere whether it is a store that the node does not bring along
 */
public record CountingStore(String name, boolean isAwaited, boolean isElsewhere) {}
