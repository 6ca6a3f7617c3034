package dev.weir.notifications.sender;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.notifications.sender.OutboundRecord.Lane;
import org.junit.jupiter.api.Test;

final class SkippedRecordsTest {
  private static final Lane ONE = new Lane(0, 1);
  private static final Lane OTHER = new Lane(0, 2);

  private final SkippedRecords skipped = new SkippedRecords();

  @Test
  void recordsOfALaneComeBackInOrder() {
    skipped.add(ONE, 5);
    skipped.add(ONE, 7);
    skipped.add(OTHER, 3);

    assertThat(skipped.first(lane -> true)).hasValue(3);
    assertThat(skipped.first(ONE::equals)).hasValue(5);
    assertThat(skipped.removeFirst(ONE, 7)).isFalse();
    assertThat(skipped.removeFirst(ONE, 5)).isTrue();
    assertThat(skipped.removeFirst(ONE, 7)).isTrue();
    assertThat(skipped.has(ONE)).isFalse();
    assertThat(skipped.removeFirst(ONE, 9)).isFalse();
    assertThat(skipped.count()).isEqualTo(1);
  }

  @Test
  void recordsThatAreGoneAreForgotten() {
    skipped.add(ONE, 5);
    skipped.add(ONE, 7);
    skipped.add(OTHER, 3);

    assertThat(skipped.removeBefore(7)).containsExactlyInAnyOrder(3L, 5L);
    assertThat(skipped.count()).isEqualTo(1);
    assertThat(skipped.has(OTHER)).isFalse();
    assertThat(skipped.first(lane -> true)).hasValue(7);
  }
}
