package dev.weir.torture.history;

/**
 * A fault that was inflicted.
 *
 * @param isLoss whether a store lost what it had counted
 */
public record FaultNote(String name, long beginNanos, long endNanos, boolean isLoss) {}
