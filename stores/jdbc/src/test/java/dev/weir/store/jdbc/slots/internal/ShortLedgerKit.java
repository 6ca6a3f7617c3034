package dev.weir.store.jdbc.slots.internal;

import dev.weir.store.tck.slots.SlotLedgerKit;
import dev.weir.store.tck.slots.Trace;
import dev.weir.store.tck.slots.Traces;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/**
 * The kit of slot ledgers with fewer traces, because a database takes a tenth of a second for each:
 * as many as {@code jqwik.tries.default}.
 */
interface ShortLedgerKit extends SlotLedgerKit {
  @Override
  @Property(seed = "20260601", edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.BOUNDED)
  default void answersAsTheModelDoes(@ForAll(supplier = Traces.class) Trace trace) {
    SlotLedgerKit.super.answersAsTheModelDoes(trace);
  }
}
