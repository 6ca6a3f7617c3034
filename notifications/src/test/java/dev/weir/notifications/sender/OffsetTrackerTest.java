package dev.weir.notifications.sender;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

final class OffsetTrackerTest {
  /** Offsets have gaps; records end in any order. */
  @Property(tries = 1_000)
  void positionIsTheFirstRecordThatIsNotDone(
      @ForAll @Size(max = 50) List<@IntRange(min = 1, max = 5) Integer> gaps,
      @ForAll @IntRange(min = 0, max = 1_000) int start,
      @ForAll Random random) {
    OffsetTracker tracker = new OffsetTracker(start);
    TreeSet<Long> open = new TreeSet<>();
    long next = start;
    for (int gap : gaps) {
      long offset = next + gap - 1;
      next = offset + 1;
      assertThat(tracker.add(offset, 0)).isTrue();
      assertThat(tracker.add(offset, 0)).isFalse();
      open.add(offset);
      if (random.nextBoolean()) {
        List<Long> candidates = new ArrayList<>(open);
        long done = candidates.get(random.nextInt(candidates.size()));
        open.remove(done);
        tracker.done(done);
      }
      assertThat(tracker.position()).isEqualTo(open.isEmpty() ? next : open.first());
      assertThat(tracker.hasProgress()).isEqualTo(tracker.position() > start);
    }
    tracker.committed(tracker.position());
    assertThat(tracker.hasProgress()).isFalse();
  }
}
