package dev.weir.store.tck.limits;

import dev.weir.core.limits.Limit;
import dev.weir.engine.limits.LimitStore;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Supplier;

/**
 * The compatibility kit of limit stores: a test class that implements it proves that its store
 * decides exactly as the pure functions of core do, whoever asks at the same time.
 *
 * <p>Policies and request ids are made up anew for each claim, so one store may serve all of them.
 * A store that forgets by itself what is idle implements {@link IdleKeysVanish} as well.
 */
public interface LimitStoreKit
    extends LimitTakingClaims,
        LimitRepeatingClaims,
        LimitBindingClaims,
        LimitChangingClaims,
        LimitNamingClaims,
        LimitCrowdClaims,
        LimitTraceClaims {

  /** The kinds of limit that the store keeps. */
  @Override
  List<Class<? extends Limit>> kinds();

  /**
   * A store that goes by this clock alone: what is idle by another clock is not forgotten. Each
   * {@code get} opens a further node on it, which may be the same. The kit closes none.
   */
  @Override
  Supplier<LimitStore> limitsBy(InstantSource clock);
}
