package dev.weir.store.tck.limits;

import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/** Whatever is asked in whatever order at whatever time, every answer is that of core. */
interface LimitTraceClaims extends LimitClaims {
  @Property(
      tries = 120,
      seed = "20260602",
      edgeCases = EdgeCasesMode.NONE,
      shrinking = ShrinkingMode.BOUNDED)
  default void decidesAsCoreDoes(@ForAll(supplier = LimitTraces.class) LimitTrace trace) {
    new LimitTracePlayer(limitScene(), kinds(), trace).play(trace);
  }
}
