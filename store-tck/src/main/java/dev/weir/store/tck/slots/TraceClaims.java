package dev.weir.store.tck.slots;

import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/** The claim that any sequence of steps has the same results as the model. */
interface TraceClaims extends Claims {
  @Property(
      tries = 100,
      seed = "20260601",
      edgeCases = EdgeCasesMode.NONE,
      shrinking = ShrinkingMode.BOUNDED)
  default void answersAsTheModelDoes(@ForAll(supplier = Traces.class) Trace trace) {
    Scene scene = scene(trace.policies().getFirst());
    UpkeepClaims.removeAll(scene);
    new TracePlayer(scene, trace).play(trace);
  }
}
