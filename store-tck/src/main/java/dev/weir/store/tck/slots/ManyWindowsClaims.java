package dev.weir.store.tck.slots;

import static dev.weir.store.tck.slots.Scene.at;
import static dev.weir.store.tck.slots.Scene.count;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.slots.AssignRequest;
import dev.weir.slots.Assignment;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotQuery;
import dev.weir.slots.WindowCount;
import dev.weir.slots.internal.MemorySlotLedger;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Claims with more windows and runs than a store reads in one page, max of them with gaps. The
 * model is too slow for them, so the memory ledger is the reference.
 */
interface ManyWindowsClaims extends Claims {
  int SECONDS = 3_600;

  @Test
  default void thousandsOfWindowsGiveTheSameResultsAsTheMemoryLedger() {
    Scene scene = scene(2);
    MemorySlotLedger memory = new MemorySlotLedger(scene.clock, new Random(1), 1_000_000);
    memory.configure(scene.configName, scene.config().policy());
    List<Node> nodes = List.of(scene.node, scene.anotherNode(), scene.anotherNode());
    Random random = new Random(20260601);
    for (int round = 0; round < 30; round++) {
      Node node = nodes.get(random.nextInt(nodes.size()));
      List<AssignRequest> requests = requests(scene, random, 60);
      assertThat(node.ledger().assign(requests)).isEqualTo(memory.assign(requests));
      for (int i = 0; i < 4; i++) {
        String id = scene.id("e" + random.nextInt(4_000));
        assertThat(node.ledger().cancel(id)).isEqualTo(memory.cancel(id));
      }
      if (round % 8 == 7) {
        // After noon, windows are stored under the new policy; before it, only slots are.
        SlotPolicy policy = SlotPolicy.of(2 + round % 2, Duration.ofSeconds(2 + round % 4));
        scene.configure(policy);
        memory.configure(scene.configName, policy);
      }
    }
    compareReads(scene, memory);
  }

  private static List<AssignRequest> requests(Scene scene, Random random, int count) {
    // Every other batch is dense, so that windows fill up and runs grow.
    int width = random.nextBoolean() ? SECONDS : SECONDS / 12;
    return IntStream.range(0, count)
        .mapToObj(
            i -> scene.request("e" + random.nextInt(4_000), at(random.nextInt(2 * width) - width)))
        .toList();
  }

  private static void compareReads(Scene scene, MemorySlotLedger memory) {
    SlotQuery all = SlotQuery.of(scene.configName).from(Scene.FIRST).until(Scene.LAST).limit(777);
    assertThat(Scene.list(scene.node.ledger(), all)).isEqualTo(Scene.list(memory, all));
    assertThat(scene.windows())
        .isEqualTo(Scene.windows(memory, scene.config(), Scene.FIRST, Scene.LAST));
    for (int events = 1; events < 20_000; events *= 5) {
      assertThat(scene.forecast(at(-SECONDS), events))
          .isEqualTo(memory.forecast(scene.config(), at(-SECONDS), events));
    }
  }

  /** Fills every second window, so that each is a separate run. */
  @Test
  default void combOfFullWindowsIsFilledInOrder() {
    Scene scene = scene(1);
    int teeth = 600;
    List<AssignRequest> comb =
        IntStream.range(0, teeth).mapToObj(i -> scene.request("tooth" + i, at(8.0 * i))).toList();
    assertThat(scene.node.ledger().assign(comb)).hasSize(teeth);
    Node cold = scene.anotherNode();

    List<Slot> given =
        cold
            .ledger()
            .assign(
                IntStream.range(0, teeth + 1)
                    .mapToObj(i -> scene.request("gap" + i, at(0)))
                    .toList())
            .stream()
            .map(Scene::slot)
            .toList();

    assertThat(Scene.seconds(given))
        .isEqualTo(
            IntStream.rangeClosed(0, teeth)
                .mapToObj(i -> i < teeth ? 8.0 * i + 4 : 8.0 * teeth)
                .toList());
    assertThat(scene.tryAssign("last", at(0)))
        .isInstanceOfSatisfying(
            Assignment.Assigned.class,
            last -> assertThat(last.lookahead()).isEqualTo(2L * teeth + 1));
  }

  /** Returns how many events a window of a second gets; a slow store may be given fewer. */
  default int maxPerSecond() {
    return 100_000;
  }

  @Test
  default void windowOfASecondHoldsAsManyAsItMay() {
    int max = maxPerSecond();
    Scene scene = scene(SlotPolicy.of(max, Duration.ofSeconds(1)));
    Set<Instant> times = new HashSet<>();

    for (int batch = 0; batch < 11; batch++) {
      scene
          .assign("e" + batch + "-", max / 10, at(0))
          .forEach(slot -> times.add(slot.scheduledTime()));
    }

    assertThat(times).hasSize(max + max / 10);
    assertThat(scene.windows()).containsExactly(count(0, max), count(1, max / 10));

    // Enough windows that a store has to carry them over in portions.
    int maxPerMilli = max / 1_000;
    scene.configure(SlotPolicy.of(maxPerMilli, Duration.ofMillis(1)));
    List<WindowCount> carried = scene.windows();
    assertThat(carried).hasSizeGreaterThan(1_000);
    assertThat(carried.stream().mapToInt(WindowCount::taken).sum()).isEqualTo(max + max / 10);
    Slot next = scene.assign("next", at(0));
    assertThat(carried)
        .filteredOn(window -> window.start().isBefore(next.windowStart()))
        .allMatch(window -> window.taken() >= maxPerMilli);
  }
}
