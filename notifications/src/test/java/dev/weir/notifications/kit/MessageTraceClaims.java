package dev.weir.notifications.kit;

import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/** The claim that any sequence of steps has the same results as the model. */
interface MessageTraceClaims extends MessageClaims {
  /** Shrinking would go on in the background, and change the store under the next claim. */
  @Property(
      tries = 150,
      seed = "20260613",
      edgeCases = EdgeCasesMode.NONE,
      shrinking = ShrinkingMode.OFF)
  default void sendsAsTheModelDoes(@ForAll(supplier = MessageTraces.class) MessageTrace trace) {
    new MessageTracePlayer(messageScene()).play(trace);
  }
}
