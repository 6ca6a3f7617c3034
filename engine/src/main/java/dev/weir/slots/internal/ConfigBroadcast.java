package dev.weir.slots.internal;

/** A broadcast to all nodes that use the same store. */
@FunctionalInterface
public interface ConfigBroadcast {
  /** Makes every node, including this one, drop its cached configurations. */
  void flushEverywhere();
}
