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
 *
 * @param <L> the kinds of limit that the store keeps
 */
public interface LimitStoreKit<L extends Limit>
    extends LimitTakingClaims<L>,
        LimitRepeatingClaims<L>,
        LimitBindingClaims<L>,
        LimitChangingClaims<L>,
        LimitNamingClaims<L>,
        LimitCrowdClaims<L>,
        LimitTraceClaims<L> {

  /** The same as {@code L}, for generating limits. */
  @Override
  List<Class<? extends L>> kinds();

  /**
   * A store that goes by this clock alone: what is idle by another clock is not forgotten. Each
   * {@code get} opens a further node on it, which may be the same. The kit closes none.
   */
  @Override
  Supplier<LimitStore<L>> limitsBy(InstantSource clock);
}
