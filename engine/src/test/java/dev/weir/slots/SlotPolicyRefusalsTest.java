package dev.weir.slots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Invalid policies cannot be constructed, and the message names field and bound. */
final class SlotPolicyRefusalsTest {
  private static final SlotPolicy POLICY = SlotPolicy.of(1, Duration.ofSeconds(1));

  @Test
  void windowsOfAnyLengthAreRefusedByName() {
    for (Duration window :
        new Duration[] {
          Duration.ofSeconds(Long.MAX_VALUE),
          Duration.ofSeconds(Long.MIN_VALUE),
          Duration.ofSeconds(Long.MAX_VALUE / 1_000_000),
          Duration.ofSeconds(Long.MIN_VALUE / 1_000_000),
          Duration.ofDays(32),
          Duration.ZERO
        }) {
      assertThatThrownBy(() -> SlotPolicy.of(1, window))
          .as(window.toString())
          .isInstanceOf(InvalidSlotPolicyException.class)
          .hasMessageContaining("windowSize must be from PT0.001S to PT744H, not ");
    }
  }

  @Test
  void aHugeMaxDelayIsNone() {
    assertThat(POLICY.withMaxDelay(Duration.ofSeconds(Long.MAX_VALUE))).isEqualTo(POLICY);
    assertThatThrownBy(() -> POLICY.withMaxDelay(Duration.ofSeconds(Long.MIN_VALUE)))
        .isInstanceOf(InvalidSlotPolicyException.class)
        .hasMessageContaining("maxDelay must not be negative");
  }

  @Test
  void missingArgumentsAreNamed() {
    assertThatThrownBy(() -> SlotPolicy.of(1, null)).hasMessage("window");
    assertThatThrownBy(() -> POLICY.withMaxDelay(null)).hasMessage("maxDelay");
    assertThatThrownBy(() -> POLICY.withSpread(null)).hasMessage("spread");
    assertThatThrownBy(() -> POLICY.withNotBefore(null)).hasMessage("notBefore");
    assertThatThrownBy(() -> POLICY.withCalendar(null)).hasMessage("calendar");
  }
}
