package dev.weir.store.tck.slots;

import java.time.InstantSource;
import java.util.function.Supplier;

/**
 * The compatibility kit of slot ledgers: a test class that implements it proves that its store
 * assigns, keeps, ends, adopts, carries over and reads slots as the specification says.
 *
 * <p>Each claim has its own configurations, so one store may serve all of them. Claims must not run
 * concurrently on one store, because upkeep covers all configurations.
 */
public interface SlotLedgerKit
    extends AssignmentClaims,
        TimeClaims,
        SlotEndClaims,
        AdoptionClaims,
        ConfigChangeClaims,
        ReadingClaims,
        UpkeepClaims,
        NodeClaims,
        RacingClaims,
        ManyWindowsClaims,
        TraceClaims {

  /** Returns a store that uses this clock. Each {@code get} opens a further node on it. */
  @Override
  Supplier<Node> storeBy(InstantSource clock);
}
