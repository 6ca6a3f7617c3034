package dev.weir.engine.slots;

/** Reaches every node that works on the same store. */
@FunctionalInterface
public interface ConfigBroadcast {
  /** Tells every node, this one included, to drop the configurations that it has cached. */
  void flushEverywhere();
}
