package dev.weir.torture.capability;

import dev.weir.torture.history.Exchange;
import dev.weir.torture.stage.Part;
import java.util.Set;

/** A part of the product that is tortured. */
public interface Capability {
  /** The word for it in {@code --only}. */
  String name();

  /** What it promises. */
  Set<Promise> promises();

  /** Returns true if {@code /openapi.yaml} does not list the status of an answer as usual. */
  default boolean isExceptional(Exchange exchange) {
    return false;
  }

  /** What its load needs beside nodes and PostgreSQL. */
  Set<Part> needs();

  Load load(Round round);

  Check check(Round round);
}
