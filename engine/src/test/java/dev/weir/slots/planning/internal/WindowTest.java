package dev.weir.slots.planning.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.internal.Places;
import java.util.Set;
import java.util.stream.IntStream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class WindowTest {
  @Property
  void comesBackFromBytesAsItWas(@ForAll Set<@IntRange(max = 5_000) Integer> places) {
    Window window = new Window(42);
    places.forEach(window::take);
    Window back = Window.of(42, window.toBytes(), 0);
    assertThat(back.startMicros()).isEqualTo(42);
    assertThat(back.taken()).isEqualTo(places.size());
    assertThat(IntStream.range(0, 5_100).filter(back::isTaken).boxed())
        .containsExactlyInAnyOrderElementsOf(places);
  }

  @Example
  void isStoredWithPlaceZeroInTheLowestBit() {
    Window window = new Window(0);
    window.take(0);
    window.take(9);
    assertThat(window.toBytes()).containsExactly(1, 2);
    window.release(9);
    assertThat(window.toBytes()).containsExactly(1);
    window.release(0);
    assertThat(window.toBytes()).isEmpty();
  }

  @Example
  void refusesAPlaceThatIsTakenOrNone() {
    Window window = new Window(0);
    window.take(5);
    for (int place : new int[] {5, -1, Places.COUNT, Places.NONE}) {
      assertThatThrownBy(() -> window.take(place))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("place " + place);
    }
    assertThat(window.taken()).isEqualTo(1);
  }

  @Example
  void releasesAPlaceOnce() {
    Window window = new Window(0);
    window.take(5);
    assertThat(window.release(5)).isTrue();
    assertThat(window.release(5)).isFalse();
    assertThat(window.release(100_000)).isFalse();
    assertThat(window.taken()).isZero();
  }

  @Example
  void findsAReleasedPlaceBelowManyTakenOnes() {
    Window window = new Window(0);
    for (int place = 0; place < 1_000; place++) {
      assertThat(window.lowestFree(2_000, 0, Places.COUNT)).isEqualTo(place);
      window.take(place);
    }
    window.release(3);
    assertThat(window.lowestFree(2_000, 0, Places.COUNT)).isEqualTo(3);
  }

  @Example
  void isIndependentOfItsCopy() {
    Window window = new Window(0);
    window.take(1);
    Window copy = window.copy();
    copy.take(2);
    window.release(1);
    assertThat(copy.taken()).isEqualTo(2);
    assertThat(copy.isTaken(1)).isTrue();
    assertThat(window.taken()).isZero();
  }
}
