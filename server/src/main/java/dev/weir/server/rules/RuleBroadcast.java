package dev.weir.server.rules;

/** Notifies the other nodes that use the same rules. */
@FunctionalInterface
public interface RuleBroadcast {
  /** Makes every node reload its rules. */
  void refreshEverywhere();
}
