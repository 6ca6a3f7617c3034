package dev.weir.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.store.tck.internal.Explorer;
import dev.weir.store.tck.internal.ModelSize;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Explores {@link RedisModel}. */
final class RedisModelTest {
  private static final int MAX_STATES = 3_000_000;

  private static final List<RedisModel.Bounds> SMALL =
      List.of(new RedisModel.Bounds(2, 2, 1, 0, false), new RedisModel.Bounds(1, 3, 1, 1, true));

  private static final List<RedisModel.Bounds> LARGE =
      List.of(
          new RedisModel.Bounds(2, 3, 1, 1, false),
          new RedisModel.Bounds(1, 4, 1, 1, true),
          new RedisModel.Bounds(2, 3, 1, 0, true));

  @Test
  void noWindowIsGrantedTwice() {
    for (RedisModel.Bounds bounds : ModelSize.current() == ModelSize.SMALL ? SMALL : LARGE) {
      Explorer.Result<RedisModelState> result =
          Explorer.explore(new RedisModel(bounds, RedisModel.Fault.NONE), MAX_STATES);
      System.out.printf("%,d states of Redis, %s%n", result.states(), bounds);
      assertThat(result.witness()).as("%s", bounds).isEmpty();
    }
  }

  @Test
  void weakenedCopyIsRefused() {
    EnumSet.complementOf(EnumSet.of(RedisModel.Fault.NONE)).forEach(RedisModelTest::requireWitness);
  }

  private static void requireWitness(RedisModel.Fault fault) {
    Optional<Explorer.Witness<RedisModelState>> witness =
        Explorer.explore(new RedisModel(new RedisModel.Bounds(1, 3, 1, 1, true), fault), MAX_STATES)
            .witness();
    assertThat(witness).as("%s", fault).isPresent();
    System.out.printf("%s: %s%n", fault, witness.get());
    assertThat(witness.get().actions()).hasSizeLessThanOrEqualTo(13);
  }
}
