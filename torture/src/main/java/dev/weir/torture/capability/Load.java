package dev.weir.torture.capability;

import java.util.SplittableRandom;

/** Callers of one capability, for one round. Thread-safe. */
public interface Load {
  /** Creates what callers need, such as rules, before anything goes wrong. */
  void prepare() throws Exception;

  /** What one caller does next; called again and again, by several callers. */
  void step(SplittableRandom random);

  /** Changes what holds for callers, such as a limit, now and then. */
  void change(SplittableRandom random);

  /** Asks what the check needs to know, after everything is well again and no caller is left. */
  void finish() throws Exception;
}
