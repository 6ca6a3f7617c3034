package dev.weir.store.tck.limits;

import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.LimitStore;
import dev.weir.limits.Policy;
import dev.weir.limits.SlidingWindow;
import dev.weir.limits.TokenBucket;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The base of all claims about limits: a store, the kinds it supports, and scenes on it. */
interface LimitClaims {
  Duration MINUTE = Duration.ofMinutes(1);

  List<Class<? extends Limit>> kinds();

  Supplier<LimitStore> limitsBy(InstantSource clock);

  default LimitScene limitScene() {
    return new LimitScene(this::limitsBy);
  }

  /** Runs the claim for each kind, with {@code max} permits per minute. */
  default void forEachKind(long max, Consumer<Limit> claim) {
    kinds().forEach(kind -> claim.accept(aMinuteOf(max, kind)));
  }

  /** Runs the claim for each kind, each with a scene of its own and a policy named {@code p}. */
  default void forEachPolicy(long max, BiConsumer<LimitScene, Policy> claim) {
    forEachKind(
        max,
        limit -> {
          LimitScene scene = limitScene();
          claim.accept(scene, scene.policy("p", limit));
        });
  }

  default Limit aMinuteOf(long max, Class<? extends Limit> kind) {
    return LimitOfEachKind.aMinuteOf(max).as(kind);
  }

  /** One limit of each kind, of which a store uses those that it supports. */
  record LimitOfEachKind(FixedWindow fixed, SlidingWindow sliding, TokenBucket bucket) {
    static LimitOfEachKind aMinuteOf(long max) {
      return new LimitOfEachKind(
          FixedWindow.of(max, MINUTE), SlidingWindow.of(max, MINUTE), TokenBucket.of(max, MINUTE));
    }

    <K extends Limit> K as(Class<K> kind) {
      for (Limit limit : List.of(fixed, sliding, bucket)) {
        if (kind.isInstance(limit)) {
          return kind.cast(limit);
        }
      }
      throw new IllegalArgumentException("unknown kind of limit: " + kind);
    }
  }
}
