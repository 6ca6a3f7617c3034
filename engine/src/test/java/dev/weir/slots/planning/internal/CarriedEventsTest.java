package dev.weir.slots.planning.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import dev.weir.internal.Places;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.Spread;
import dev.weir.slots.planning.internal.CarriedEvents.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

class CarriedEventsTest {
  private static final SlotPolicy HUNDRED = SlotPolicy.of(100, Duration.ofSeconds(4));

  @Property(tries = 500)
  void countsEveryEventAndKeepsEveryPlace(
      @ForAll @IntRange(min = 1, max = 200) int max,
      @ForAll @IntRange(max = 250) int placed,
      @ForAll @IntRange(max = 250) int offGrid,
      @ForAll @LongRange(min = 1_000, max = 10_000_000) long size,
      @ForAll long seed) {
    SlotPolicy policy = SlotPolicy.of(max, Micros.duration(size));
    Random random = new Random(seed);
    long start = random.nextInt(-5, 5) * size;
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < offGrid; i++) {
      events.add(new Event.OffGrid(start + random.nextLong(size)));
    }
    // Also places above the limit: it may have been higher.
    List<Integer> places = distinct(random, 300, placed);
    places.forEach(place -> events.add(new Event.Placed(place)));

    Window window = CarriedEvents.window(policy, start, events);

    assertThat(window.startMicros()).isEqualTo(start);
    assertThat(window.taken()).isEqualTo(placed + offGrid);
    assertThat(places).allMatch(window::isTaken);
    assertThat(Availability.count(policy, window, TimeSpan.ALL))
        .isEqualTo(Math.max(0, max - placed - offGrid));
  }

  @Property(tries = 200)
  void usesPlacesBelowTheLimitAsLongAsThereAreAny(
      @ForAll @IntRange(min = 1, max = 200) int max, @ForAll long seed) {
    SlotPolicy policy = SlotPolicy.of(max, Duration.ofSeconds(4));
    Random random = new Random(seed);
    int count = random.nextInt(max) + 1;
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      events.add(new Event.OffGrid(random.nextLong(policy.windowMicros())));
    }
    Window window = CarriedEvents.window(policy, 0, events);
    assertThat(IntStream.range(0, max).filter(window::isTaken).count()).isEqualTo(count);
  }

  @Property(tries = 500)
  void takesThePlaceWithinACellOfTheEvent(
      @ForAll @IntRange(max = 12) int bits, @ForAll @LongRange(max = 3_999_999) long offset) {
    SlotPolicy policy = SlotPolicy.of(1 << bits, Duration.ofSeconds(4));
    Window window = CarriedEvents.window(policy, 0, List.of(new Event.OffGrid(offset)));
    int place = IntStream.range(0, 1 << bits).filter(window::isTaken).findFirst().getAsInt();
    assertThat(Math.abs(Places.offsetMicros(place, 4_000_000) - offset))
        .isLessThanOrEqualTo(Math.ceilDiv(4_000_000, 1 << bits));
  }

  @Example
  void givesEventsAtTheSameTimeThePlacesAround() {
    SlotPolicy policy = SlotPolicy.of(8, Duration.ofSeconds(8));
    Window window =
        CarriedEvents.window(
            policy,
            0,
            List.of(
                new Event.OffGrid(4_000_000),
                new Event.OffGrid(4_000_000),
                new Event.OffGrid(4_000_000)));
    // In the order of time these are the fourth, fifth and sixth of eight.
    assertThat(IntStream.range(0, 8).filter(window::isTaken)).containsExactlyInAnyOrder(6, 1, 5);
  }

  @Example
  void isFullUntilAnOverfullWindowIsBelowItsLimit() {
    List<Event> events = new ArrayList<>();
    for (int place = 0; place < 100; place++) {
      events.add(new Event.Placed(place));
    }
    SlotPolicy fifty = SlotPolicy.of(50, Duration.ofSeconds(4));
    OccupancyView view = OccupancyView.empty(fifty);
    Window window = CarriedEvents.window(fifty, 0, events);
    view.put(window);
    for (int left = 100; left > 49; left--) {
      assertThat(view.isFull(0)).as("full with %d", left).isTrue();
      view.release(window, left - 1);
    }
    assertThat(view.isFull(0)).isFalse();
    assertThat(Availability.count(fifty, window, TimeSpan.ALL)).isEqualTo(1);
  }

  @Example
  void carriesTheLargestWindowsOver() {
    SlotPolicy policy = SlotPolicy.of(100_000, Duration.ofSeconds(1));
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < 150_000; i++) {
      events.add(new Event.OffGrid(500_000 + i % 10));
    }
    Window window = CarriedEvents.window(policy, 0, events);
    assertThat(window.taken()).isEqualTo(150_000);
    assertThat(window.lowestFree(policy.maxPerWindow(), 0, Places.COUNT)).isEqualTo(Places.NONE);
  }

  @Example
  void isFullWithMoreEventsThanItCanCount() {
    SlotPolicy day = SlotPolicy.of(100, Duration.ofDays(1));
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < Places.COUNT + 10; i++) {
      events.add(new Event.OffGrid(i * 1_000L));
    }

    Window window = CarriedEvents.window(day, 0, events);

    assertThat(window.taken()).isEqualTo(Places.COUNT);
    assertThat(Availability.hasFreePlace(day, window)).isFalse();
  }

  @Property(tries = 200)
  void survivesThereAndBackAgain(
      @ForAll @IntRange(min = 1, max = 20) int max,
      @ForAll @IntRange(min = 1, max = 20) int otherMax,
      @ForAll @LongRange(min = 1_000, max = 20_000) long size,
      @ForAll @LongRange(min = 1_000, max = 20_000) long otherSize,
      @ForAll long seed) {
    Random random = new Random(seed);
    SlotPolicy here = SlotPolicy.of(max, Micros.duration(size));
    SlotPolicy there = SlotPolicy.of(otherMax, Micros.duration(otherSize));
    List<Given> given = new ArrayList<>();
    for (SlotPolicy policy : List.of(here, there, here, here.withSpread(Spread.RANDOM), there)) {
      Map<Long, Integer> before = countByWindow(given, policy);
      OccupancyView view = OccupancyView.empty(policy);
      Map<Long, Window> windows = new TreeMap<>();
      regroup(
          policy,
          given,
          window -> {
            windows.put(window.startMicros(), window);
            view.put(window);
          });
      assertThat(windows).containsOnlyKeys(before.keySet());
      windows.forEach((start, window) -> assertThat(window.taken()).isEqualTo(before.get(start)));
      for (Given event : given) {
        if (event.sizeMicros() == policy.windowMicros()) {
          Window window = windows.get(policy.windowStart(event.scheduledMicros()));
          assertThat(window.isTaken(event.place())).isTrue();
        }
      }
      for (int i = random.nextInt(40); i > 0; i--) {
        given.add(place(view, random.nextLong(60_000), random));
      }
      countByWindow(given, policy)
          .forEach(
              (start, count) ->
                  assertThat(count)
                      .isLessThanOrEqualTo(
                          Math.max(before.getOrDefault(start, 0), policy.maxPerWindow())));
    }
  }

  @Example
  void handsOverEachWindowOnceInTheOrderOfTime() {
    List<Window> windows = new ArrayList<>();
    Regrouping regrouping = new Regrouping(HUNDRED, windows::add);
    regrouping.finish();
    regrouping.add(-1, 3, 4_000_000);
    regrouping.add(0, 7, 4_000_000);
    regrouping.add(2_000_000, 7, 1_000_000);
    regrouping.add(9_000_000, 0, 1_000_000);
    regrouping.finish();
    regrouping.finish();
    assertThat(windows.stream().map(Window::startMicros))
        .containsExactly(-4_000_000L, 0L, 8_000_000L);
    assertThat(windows.stream().map(Window::taken)).containsExactly(1, 2, 1);
    assertThat(windows.get(0).isTaken(3)).isTrue();
    assertThat(windows.get(1).isTaken(7)).isTrue();
    assertThat(windows.get(1).isTaken(1)).as("the middle of the window").isTrue();
  }

  private record Given(long scheduledMicros, int place, long sizeMicros) {}

  private static Given place(OccupancyView view, long requestedMicros, Random random) {
    Placement.Placed placed =
        (Placement.Placed) Planner.place(view, new PlacementRequest(requestedMicros, 0), random);
    return new Given(placed.scheduledMicros(), placed.place(), view.policy().windowMicros());
  }

  private static void regroup(SlotPolicy policy, List<Given> given, Consumer<Window> windows) {
    Regrouping regrouping = new Regrouping(policy, windows);
    given.stream()
        .sorted(Comparator.comparingLong(Given::scheduledMicros))
        .forEach(
            event -> regrouping.add(event.scheduledMicros(), event.place(), event.sizeMicros()));
    regrouping.finish();
  }

  private static Map<Long, Integer> countByWindow(List<Given> given, SlotPolicy policy) {
    return given.stream()
        .collect(
            Collectors.groupingBy(
                event ->
                    Math.floorDiv(event.scheduledMicros(), policy.windowMicros())
                        * policy.windowMicros(),
                TreeMap::new,
                Collectors.summingInt(any -> 1)));
  }

  private static List<Integer> distinct(Random random, int bound, int count) {
    List<Integer> all = new ArrayList<>(IntStream.range(0, bound).boxed().toList());
    Collections.shuffle(all, random);
    return all.subList(0, count);
  }
}
