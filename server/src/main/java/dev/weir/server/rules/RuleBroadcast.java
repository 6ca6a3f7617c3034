package dev.weir.server.rules;

/** Reaches the other nodes that work by the same rules. */
@FunctionalInterface
public interface RuleBroadcast {
  /** Makes every node read its rules again. */
  void refreshEverywhere();
}
