package dev.weir.store.tck.slots;

import static dev.weir.store.tck.slots.Scene.at;
import static dev.weir.store.tck.slots.Scene.count;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.internal.Micros;
import dev.weir.slots.ForecastResult;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotQuery;
import dev.weir.slots.Spread;
import dev.weir.slots.WindowCount;
import dev.weir.slots.WindowQuery;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Claims about reading slots, windows and forecasts. */
interface ReadingClaims extends Claims {
  @Test
  default void listsByTimeInPages() {
    Scene scene = scene(4);
    scene.assign("e", 10, at(0));

    for (int pageSize = 1; pageSize <= 11; pageSize++) {
      assertThat(Scene.seconds(scene.list(SlotQuery.Filter.ALL, pageSize)))
          .containsExactly(0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0);
    }
  }

  @Test
  default void listsOnlyTheRequestedTime() {
    Scene scene = scene(4);
    scene.assign("e", 8, at(0));

    assertThat(Scene.seconds(scene.list(at(1), at(6), SlotQuery.Filter.ALL, 2)))
        .containsExactly(1.0, 2.0, 3.0, 4.0, 5.0);
    assertThat(scene.list(at(6), at(1), SlotQuery.Filter.ALL, 2)).isEmpty();
    assertThat(scene.list(at(1), at(1), SlotQuery.Filter.ALL, 2)).isEmpty();
  }

  /** A cancelled slot and the one that replaced it have the same time. */
  @Test
  default void listsSlotsOfTheSameTimeByIdWhateverTheirState() {
    Scene scene = scene(1);
    for (String id : List.of("d", "b", "\uD83D\uDE80", "c", "\uFFFD", "a")) {
      scene.assign(id, at(0));
      scene.cancel(id);
    }
    scene.assign("bb", at(0));
    scene.confirm("bb");

    for (int pageSize = 1; pageSize <= 8; pageSize++) {
      assertThat(scene.list(SlotQuery.Filter.ALL, pageSize))
          .extracting(Slot::eventId)
          .containsExactly(
              scene.id("a"),
              scene.id("b"),
              scene.id("bb"),
              scene.id("c"),
              scene.id("d"),
              scene.id("\uFFFD"),
              scene.id("\uD83D\uDE80"));
    }
  }

  @Test
  default void listsByState() {
    Scene scene = scene(4);
    scene.assign("e", 8, at(0));
    scene.confirm("e0");
    scene.cancel("e1");
    scene.clock.set(at(3));

    assertThat(Scene.seconds(scene.list(SlotQuery.Filter.CONFIRMED, 5))).containsExactly(0.0);
    assertThat(Scene.seconds(scene.list(SlotQuery.Filter.CANCELLED, 5))).containsExactly(2.0);
    assertThat(Scene.seconds(scene.list(SlotQuery.Filter.RECLAIMED, 5))).isEmpty();
    assertThat(Scene.seconds(scene.list(SlotQuery.Filter.LEAKED, 5))).containsExactly(1.0);
    assertThat(Scene.seconds(scene.list(SlotQuery.Filter.ASSIGNED, 5)))
        .containsExactly(1.0, 3.0, 4.0, 5.0, 6.0, 7.0);
  }

  @Test
  default void listsNothingOfAnUnknownConfiguration() {
    Scene scene = scene(4);
    SlotConfig nowhere = new SlotConfig("nowhere", 1, SlotPolicy.of(1, WINDOW), at(0));

    assertThat(
            scene
                .node
                .ledger()
                .list(SlotQuery.of("nowhere").from(Scene.FIRST).until(Scene.LAST).limit(10)))
        .isEmpty();
    assertThat(
            scene
                .node
                .ledger()
                .windows(WindowQuery.of(nowhere).from(Scene.FIRST).until(Scene.LAST).limit(10)))
        .isEmpty();
    assertThatThrownBy(() -> scene.node.ledger().forecast(nowhere, at(0), 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("nowhere");
  }

  @Test
  default void countsWindowsThatStartInTheRequestedTime() {
    Scene scene = scene(2);
    scene.assign("e", 9, at(0));

    assertThat(scene.windows(at(4), at(12))).containsExactly(count(4, 2), count(8, 2));
    assertThat(scene.windows(at(3), at(12.1)))
        .containsExactly(count(4, 2), count(8, 2), count(12, 2));
    assertThat(scene.windows(at(12), at(4))).isEmpty();
    assertThat(
            scene
                .node
                .ledger()
                .windows(
                    WindowQuery.of(scene.config()).from(Scene.FIRST).until(Scene.LAST).limit(2)))
        .containsExactly(count(0, 2), count(4, 2));
  }

  @Test
  default void countsWindowsUnderThePolicyInForce() {
    Scene scene = scene(4);
    scene.assign("past", 3, at(-8));
    scene.assign("ahead", 3, at(8));
    SlotConfig stale = scene.config();
    scene.configure(SlotPolicy.of(4, Duration.ofSeconds(2)));

    List<WindowCount> windows =
        scene
            .node
            .ledger()
            .windows(WindowQuery.of(stale).from(Scene.FIRST).until(Scene.LAST).limit(10));

    assertThat(windows).containsExactly(count(-8, 2), count(-6, 1), count(8, 2), count(10, 1));
  }

  @Test
  default void forecastSaysWhenTheLastWouldRunAndAssignsNothing() {
    Scene scene = scene(4);
    scene.assign("e", 6, at(0));

    ForecastResult forecast = scene.forecast(at(0), 7);

    assertThat(forecast).isEqualTo(new ForecastResult.Completion(at(12), at(12)));
    assertThat(scene.all()).hasSize(6);
    assertThat(scene.assign("f", 7, at(0)).getLast().scheduledTime()).isEqualTo(at(12));
  }

  @Test
  default void forecastOfMillionsIsQuick() {
    Scene scene = scene(100);
    scene.assign("e", 150, at(0));

    assertThat(scene.forecast(at(0), 100_000_000))
        .isInstanceOfSatisfying(
            ForecastResult.Completion.class,
            through -> assertThat(through.windowStart()).isEqualTo(at(4.0 * 1_000_001)));
  }

  @Test
  default void forecastCountsOnlyWhatTheMaxDelayAllows() {
    Scene scene = scene(SlotPolicy.of(4, WINDOW).withMaxDelay(Duration.ofSeconds(7)));
    scene.assign("e", 3, at(0));

    assertThat(scene.forecast(at(0), 9)).isEqualTo(new ForecastResult.NoCapacity(5));
    assertThat(scene.forecast(at(0), 5)).isEqualTo(new ForecastResult.Completion(at(4), at(7)));
  }

  @Test
  default void forecastOfRandomSpreadNamesTheWindow() {
    Scene scene = scene(SlotPolicy.of(4, WINDOW).withSpread(Spread.RANDOM));
    scene.assign("e", 3, at(0));

    assertThat(scene.forecast(at(2), 3))
        .isInstanceOfSatisfying(
            ForecastResult.Completion.class,
            through -> assertThat(through.windowStart()).isEqualTo(at(4)));
  }

  @Test
  default void forecastUsesThePolicyInForce() {
    Scene scene = scene(4);
    SlotConfig stale = scene.config();
    scene.configure(SlotPolicy.of(1, WINDOW));

    assertThat(scene.node.ledger().forecast(stale, at(0), 3))
        .isEqualTo(new ForecastResult.Completion(at(8), at(8)));
  }

  @Test
  default void forecastFindsNothingAfterTheEndOfTime() {
    assertThat(scene(4).forecast(Micros.instant(Micros.LATEST).minusSeconds(2), 100))
        .isInstanceOf(ForecastResult.NoCapacity.class);
  }

  @Test
  default void theStoreTellsTheTime() {
    Scene scene = scene(4);
    scene.clock.set(at(17));

    assertThat(scene.node.ledger().now()).isEqualTo(at(17));
    assertThat(scene.node.upkeep().now()).isEqualTo(at(17));
  }
}
