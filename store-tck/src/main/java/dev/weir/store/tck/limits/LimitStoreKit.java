package dev.weir.store.tck.limits;

import dev.weir.limits.Limit;
import dev.weir.limits.LimitStore;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Supplier;

/**
 * The compatibility kit of limit stores: a test class that implements it proves that its store
 * decides exactly as the pure functions of core do, under any concurrency.
 *
 * <p>Each claim creates its own policies and request ids, so one store may serve all of them. A
 * store that forgets idle usages implements {@link IdleUsageClaims} as well.
 */
public interface LimitStoreKit
    extends LimitAcquireClaims,
        LimitRepetitionClaims,
        LimitBindingClaims,
        LimitChangeClaims,
        LimitNameClaims,
        LimitCrowdClaims,
        LimitTraceClaims {

  /** Returns the kinds of limit that the store supports. */
  @Override
  List<Class<? extends Limit>> kinds();

  /**
   * Returns a store that uses only this clock: usages that are idle by another clock are not
   * forgotten. Each {@code get} opens a further node on it, which may be the same. The kit closes
   * none.
   */
  @Override
  Supplier<LimitStore> limitsBy(InstantSource clock);
}
