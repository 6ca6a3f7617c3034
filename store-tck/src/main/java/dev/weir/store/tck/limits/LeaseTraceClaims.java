package dev.weir.store.tck.limits;

import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/** The claim that any sequence of steps has the same results as core. */
interface LeaseTraceClaims extends LeaseClaims {
  @Property(
      tries = 60,
      seed = "20260603",
      edgeCases = EdgeCasesMode.NONE,
      shrinking = ShrinkingMode.BOUNDED)
  default void leasesAsCoreDoes(@ForAll(supplier = LeaseTraces.class) LeaseTrace trace) {
    new LeaseTracePlayer(leaseScene()).play(trace);
  }
}
