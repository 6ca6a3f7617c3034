package dev.weir.store.tck.limits;

import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/** The claim that any sequence of steps has the same results as core. */
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
