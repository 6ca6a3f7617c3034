package dev.weir.store.tck.slots;

import java.time.InstantSource;
import java.util.function.Supplier;

/**
 * The compatibility kit of slot ledgers: a test class that implements it proves that its store
 * gives, keeps, ends, carries over and shows slots as the specification says.
 *
 * <p>Each claim works on configurations of its own, so one store may serve all of them. Claims must
 * not run at the same time on one store, because upkeep is everybody's.
 */
public interface SlotLedgerKit
    extends GivingClaims,
        TimeClaims,
        EndingClaims,
        ChangingClaims,
        ReadingClaims,
        UpkeepClaims,
        NodeClaims,
        RacingClaims,
        ManyWindowsClaims,
        TraceClaims {

  /** A store that goes by this clock. Each {@code get} opens a further node on it. */
  @Override
  Supplier<Node> storeBy(InstantSource clock);
}
