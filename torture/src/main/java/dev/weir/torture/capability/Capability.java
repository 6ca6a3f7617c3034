package dev.weir.torture.capability;

import java.util.Set;

/** A part of the product that is tortured. */
public interface Capability {
  /** The word for it in {@code --only}. */
  String name();

  /** What it promises. */
  Set<Promise> promises();

  Load load(Round round);

  Check check(Round round);
}
