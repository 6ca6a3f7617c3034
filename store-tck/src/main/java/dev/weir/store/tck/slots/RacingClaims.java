package dev.weir.store.tck.slots;

import static dev.weir.store.tck.slots.Scene.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.slots.Slot;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotQuery;
import dev.weir.slots.Transition;
import dev.weir.slots.WindowCount;
import dev.weir.store.tck.internal.Crowd;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.junit.jupiter.api.Test;

/**
 * Claims about events that end and are assigned again at the same time, on several nodes and across
 * configurations. If an event moves to another configuration, no place is freed twice where it was,
 * and none is lost where it is.
 */
interface RacingClaims extends Claims {
  /** The outcome of a race is random, so shrinking to a smaller one proves nothing. */
  @Property(
      tries = 6,
      seed = "20260601",
      edgeCases = EdgeCasesMode.NONE,
      shrinking = ShrinkingMode.OFF)
  default void racesEndAsTheModelDoesInSomeOrder(@ForAll(supplier = Races.class) Race race) {
    Scene scene = scene(SlotPolicy.of(3, WINDOW));
    UpkeepClaims.removeAll(scene);
    new RacePlayer(scene).play(race);
  }

  /** The shortest sequence that could free a place in the wrong configuration. */
  @Test
  default void eventThatMovesWhileItIsCancelledFreesNothingElsewhere() {
    Scene scene = scene(10);
    SlotConfig other = scene.otherConfig(SlotPolicy.of(10, WINDOW));
    List<Node> nodes = List.of(scene.node, scene.anotherNode());
    for (int i = 0; i < 40; i++) {
      String event = "e" + i;
      Slot slot = scene.assign(event, at(0));
      scene.cancel(event);
      scene.assign("f" + i, at(0));
      List<Transition> cancelled =
          Crowd.concurrently(
              List.of(
                  () -> nodes.getFirst().ledger().cancel(slot.eventId()),
                  () -> {
                    Scene.assign(nodes.getLast().ledger(), scene.request(event, at(0), other));
                    return new Transition.Done(slot);
                  }));

      assertThat(cancelled).allMatch(Transition.Done.class::isInstance);
    }

    assertThat(scene.windows())
        .isEqualTo(IntStream.range(0, 4).mapToObj(i -> Scene.count(4.0 * i, 10)).toList());
    assertAddsUp(scene, scene.config());
    assertAddsUp(scene, other);
  }

  /** Many callers, few events, three configurations; nothing repairs the windows afterwards. */
  @Test
  default void endingsOfManyCallersAddUpInEveryConfiguration() {
    Scene scene = scene(2);
    UpkeepClaims.removeAll(scene);
    List<SlotConfig> configs =
        List.of(
            scene.config(),
            scene.otherConfig(SlotPolicy.of(2, WINDOW)),
            scene.otherConfig(SlotPolicy.of(3, WINDOW)));
    List<Node> nodes =
        Stream.concat(Stream.of(scene.node), Stream.generate(scene::anotherNode).limit(3)).toList();
    for (int event = 0; event < 10; event++) {
      scene.assign("e" + event, at(0));
    }
    scene.clock.set(at(1));
    List<Callable<Integer>> callers = new ArrayList<>();
    for (int caller = 0; caller < 12; caller++) {
      int seed = caller;
      callers.add(() -> muddle(scene, nodes.get(seed % 4), configs, new Random(seed)));
    }

    assertThat(Crowd.concurrently(callers)).allMatch(done -> done == 30);

    configs.forEach(config -> assertAddsUp(scene, config));
  }

  private static int muddle(Scene scene, Node node, List<SlotConfig> configs, Random random) {
    for (int i = 0; i < 30; i++) {
      String event = "e" + random.nextInt(10);
      switch (random.nextInt(20)) {
        case 0, 1, 2, 3, 4, 5, 6, 7 ->
            assertThat(node.ledger().cancel(scene.id(event)))
                .isNotInstanceOf(Transition.Unknown.class);
        case 8 ->
            assertThat(node.ledger().confirm(scene.id(event)))
                .isNotInstanceOf(Transition.Unknown.class);
        case 9 -> assertThat(node.upkeep().reclaim(at(0.5), 3)).isNotNegative();
        default -> {
          SlotConfig config = configs.get(random.nextInt(configs.size()));
          Scene.assign(node.ledger(), scene.request(event, at(random.nextInt(8)), config));
        }
      }
    }
    return 30;
  }

  /** Windows agree with the slots, with every place taken once, and no more than the limit. */
  private static void assertAddsUp(Scene scene, SlotConfig config) {
    SlotQuery query = SlotQuery.of(config.name()).from(Scene.FIRST).until(Scene.LAST).limit(1_000);
    List<Slot> held =
        Scene.list(scene.node.ledger(), query).stream()
            .filter(slot -> slot.state().holds())
            .toList();
    Map<Instant, List<Slot>> byWindow =
        held.stream().collect(Collectors.groupingBy(Slot::windowStart));
    assertThat(Scene.windows(scene.node.ledger(), config, Scene.FIRST, Scene.LAST))
        .containsExactlyInAnyOrderElementsOf(
            byWindow.entrySet().stream()
                .map(window -> new WindowCount(window.getKey(), window.getValue().size()))
                .toList());
    for (List<Slot> window : byWindow.values()) {
      assertThat(window).hasSizeLessThanOrEqualTo(config.policy().maxPerWindow());
      assertThat(window).extracting(Slot::place).doesNotHaveDuplicates();
    }
  }
}
