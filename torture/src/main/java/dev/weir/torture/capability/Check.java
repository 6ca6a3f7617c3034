package dev.weir.torture.capability;

/** Compares the history of a round and the stores with the promises of one capability. */
public interface Check {
  void check(Findings findings) throws Exception;
}
