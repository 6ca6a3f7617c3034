package dev.weir.store.tck.limits;

import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/** Whatever is asked in whatever order at whatever time, every lease is that of core. */
interface LeaseTraceClaims extends LeaseClaims {
  @Property(
      tries = 100,
      seed = "20260603",
      edgeCases = EdgeCasesMode.NONE,
      shrinking = ShrinkingMode.BOUNDED)
  default void leasesAsCoreDoes(@ForAll(supplier = LeaseTraces.class) LeaseTrace trace) {
    new LeaseTracePlayer(leaseScene()).play(trace);
  }
}
