package dev.weir.store.tck.limits;

import dev.weir.core.limits.FixedWindow;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.SlidingWindow;
import dev.weir.core.limits.TokenBucket;
import dev.weir.engine.limits.LimitStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** What all claims about limits stand on: a store, the kinds that it keeps, and scenes on it. */
interface LimitClaims {
  Duration MINUTE = Duration.ofMinutes(1);

  List<Class<? extends Limit>> kinds();

  Supplier<LimitStore> limitsBy(InstantSource clock);

  default LimitScene limitScene() {
    return LimitScene.of(this::limitsBy);
  }

  /** Makes the claim for each kind: so many in a minute. */
  default void forEachKind(long most, Consumer<Limit> claim) {
    kinds().forEach(kind -> claim.accept(aMinuteOf(most, kind)));
  }

  default Limit aMinuteOf(long most, Class<? extends Limit> kind) {
    return LimitOfEachKind.aMinuteOf(most).as(kind);
  }

  /** One limit of each kind, of which a store takes those that it knows. */
  record LimitOfEachKind(FixedWindow fixed, SlidingWindow sliding, TokenBucket bucket) {
    static LimitOfEachKind aMinuteOf(long most) {
      return new LimitOfEachKind(
          FixedWindow.of(most, MINUTE),
          SlidingWindow.of(most, MINUTE),
          TokenBucket.of(most, MINUTE));
    }

    <K extends Limit> K as(Class<K> kind) {
      for (Limit limit : List.of(fixed, sliding, bucket)) {
        if (kind.isInstance(limit)) {
          return kind.cast(limit);
        }
      }
      throw new IllegalArgumentException("no kind of limit: " + kind);
    }
  }
}
