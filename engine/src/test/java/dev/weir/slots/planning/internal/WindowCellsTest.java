package dev.weir.slots.planning.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.slots.planning.internal.Backlog.Fill;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class WindowCellsTest {
  @Property(tries = 500)
  void countsEachWindowInTheCellInWhichItStarts(
      @ForAll @IntRange(min = -50, max = 50) int from,
      @ForAll @IntRange(min = 1, max = 12) int cellMicros,
      @ForAll @IntRange(min = 1, max = 10) int cells,
      @ForAll @IntRange(min = -80, max = 80) int start,
      @ForAll @IntRange(min = 1, max = 40) int windows,
      @ForAll @IntRange(min = 1, max = 9) int size,
      @ForAll @IntRange(min = 1, max = 7) int events) {
    WindowCells counted = new WindowCells(from, cellMicros, cells);
    counted.add(new Fill(start, windows, events), size);
    counted.add(new Fill(from, 1, 1), size);

    long[] taken = new long[cells];
    long[] fullest = new long[cells];
    taken[0] = 1;
    fullest[0] = 1;
    for (int i = 0; i < windows; i++) {
      int cell = Math.floorDiv(start + i * size - from, cellMicros);
      if (cell >= 0 && cell < cells) {
        taken[cell] += events;
        fullest[cell] = Math.max(fullest[cell], events);
      }
    }
    for (int cell = 0; cell < cells; cell++) {
      assertThat(counted.taken(cell)).as("cell %d", cell).isEqualTo(taken[cell]);
      assertThat(counted.fullest(cell)).as("cell %d", cell).isEqualTo(fullest[cell]);
      assertThat(counted.startMicros(cell)).isEqualTo(from + (long) cell * cellMicros);
    }
  }

  @Example
  void refusesCellsOfNoLength() {
    assertThatThrownBy(() -> new WindowCells(0, 0, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("cellMicros 0 and cells 1 must be at least 1");
  }
}
