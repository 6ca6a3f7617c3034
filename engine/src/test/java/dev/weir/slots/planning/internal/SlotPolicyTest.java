package dev.weir.slots.planning.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.Violation;
import dev.weir.internal.Micros;
import dev.weir.internal.Places;
import dev.weir.slots.Calendar;
import dev.weir.slots.InvalidSlotPolicyException;
import dev.weir.slots.NotBefore;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.Spread;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;

class SlotPolicyTest {
  private static final long SECOND = 1_000_000L;

  @Example
  void namesEveryInvalidField() {
    InvalidSlotPolicyException refused =
        catchThrowableOfType(
            InvalidSlotPolicyException.class,
            () ->
                PolicyTimes.policy(
                    0,
                    0,
                    Spread.EVEN,
                    -1,
                    NotBefore.REQUESTED,
                    Calendar.ALWAYS,
                    Micros.LATEST + 1));
    assertThat(refused.violations().stream().map(Violation::field))
        .containsExactly("maxPerWindow", "windowSize", "maxDelay", "pausedUntil");
    assertThat(refused)
        .hasMessageContaining("maxPerWindow must be from 1 to 1048576, not 0")
        .hasMessageContaining("windowSize must be from PT0.001S to PT744H, not PT0S")
        .hasMessageContaining("maxDelay must not be negative")
        .hasMessageContaining("pausedUntil must be a time from year 1 to year 9999");
  }

  @Example
  void refusesAnInvalidLimit() {
    assertThat(wrong(0, SECOND)).containsExactly("maxPerWindow");
    assertThat(wrong(-1, SECOND)).containsExactly("maxPerWindow");
    assertThat(wrong(Integer.MIN_VALUE, SECOND)).containsExactly("maxPerWindow");
    assertThat(wrong(Places.COUNT + 1, 10 * SECOND)).containsExactly("maxPerWindow");
    assertThat(wrong(Integer.MAX_VALUE, 10 * SECOND)).containsExactly("maxPerWindow");
  }

  @Example
  void refusesAWindowTooShortOrTooLong() {
    assertThat(wrong(1, 999)).containsExactly("windowSize");
    assertThat(wrong(1, -SECOND)).containsExactly("windowSize");
    assertThat(wrong(1, Long.MIN_VALUE)).containsExactly("windowSize");
    assertThat(wrong(1, Micros.floor(Duration.ofDays(31)) + 1)).containsExactly("windowSize");
    assertThat(wrong(1, Long.MAX_VALUE)).containsExactly("windowSize");
  }

  @Example
  void refusesPlacesThatWouldShareAMicrosecond() {
    assertThat(wrong(513, 1_000)).containsExactly("maxPerWindow");
    assertThat(wrong(Places.COUNT, SECOND)).containsExactly("maxPerWindow");
  }

  @Example
  void refusesANegativeDelay() {
    SlotPolicy policy = SlotPolicy.of(1, Duration.ofSeconds(1));
    assertThatThrownBy(() -> policy.withMaxDelay(Duration.ofNanos(-1)))
        .isInstanceOf(InvalidSlotPolicyException.class)
        .hasMessage("maxDelay must not be negative, but is PT-0.000001S");
  }

  @Example
  void refusesAPauseOutsideOfTime() {
    SlotPolicy policy = SlotPolicy.of(1, Duration.ofSeconds(1));
    for (long micros : new long[] {Micros.LATEST + 1, Micros.EARLIEST - 1, Long.MAX_VALUE}) {
      assertThatThrownBy(() -> policy.withPausedUntil(Micros.instant(micros)))
          .isInstanceOf(InvalidSlotPolicyException.class)
          .hasMessageStartingWith("pausedUntil ");
    }
  }

  @Example
  void acceptsTheExtremes() {
    assertThat(wrong(512, 1_000)).isEmpty();
    assertThat(wrong(Places.COUNT, Places.COUNT)).isEmpty();
    assertThat(wrong(Places.COUNT, Micros.floor(SlotPolicy.MAX_WINDOW))).isEmpty();
    assertThat(wrong(100_000, SECOND)).isEmpty();
    SlotPolicy policy = SlotPolicy.of(1, SlotPolicy.MIN_WINDOW);
    Instant latest = Micros.instant(Micros.LATEST);
    assertThat(policy.withMaxDelay(Duration.ZERO).maxDelay()).contains(Duration.ZERO);
    assertThat(policy.withPausedUntil(latest).pausedUntil()).contains(latest);
    assertThat(policy.withPausedUntil(latest).withoutPause()).isEqualTo(policy);
    assertThat(policy.withMaxDelay(Duration.ZERO).withoutMaxDelay()).isEqualTo(policy);
  }

  @Example
  void changesOneFieldAtATime() {
    SlotPolicy policy = SlotPolicy.of(7, Duration.ofSeconds(3));
    Calendar nights = Scenarios.daily("UTC", Duration.ofHours(22), Duration.ofHours(6)).calendar();
    SlotPolicy all =
        policy
            .withSpread(Spread.RANDOM)
            .withMaxDelay(Duration.ofSeconds(9))
            .withNotBefore(NotBefore.NOW)
            .withCalendar(nights)
            .withPausedUntil(Micros.instant(5));
    assertThat(all)
        .isEqualTo(
            PolicyTimes.policy(7, 3 * SECOND, Spread.RANDOM, 9 * SECOND, NotBefore.NOW, nights, 5));
    assertThat(all.window()).isEqualTo(Duration.ofSeconds(3));
  }

  @Example
  void hasTheSameWindowsUnlessLimitSizeSpreadOrHoursDiffer() {
    SlotPolicy policy = SlotPolicy.of(7, Duration.ofSeconds(3));
    Calendar nights = Scenarios.daily("UTC", Duration.ofHours(22), Duration.ofHours(6)).calendar();
    Calendar sameNights =
        Scenarios.daily("UTC", Duration.ofHours(22), Duration.ofHours(6)).calendar();
    assertThat(
            policy.hasSameWindowsAs(
                policy
                    .withMaxDelay(Duration.ZERO)
                    .withNotBefore(NotBefore.NOW)
                    .withPausedUntil(Instant.EPOCH)))
        .isTrue();
    assertThat(policy.withCalendar(nights).hasSameWindowsAs(policy.withCalendar(sameNights)))
        .isTrue();
    assertThat(policy.hasSameWindowsAs(SlotPolicy.of(8, Duration.ofSeconds(3)))).isFalse();
    assertThat(policy.hasSameWindowsAs(SlotPolicy.of(7, Duration.ofSeconds(4)))).isFalse();
    assertThat(policy.hasSameWindowsAs(policy.withSpread(Spread.RANDOM))).isFalse();
    assertThat(policy.hasSameWindowsAs(policy.withCalendar(nights))).isFalse();
  }

  @Property
  void alignsWindowsToTheEpoch(
      @ForAll @LongRange(min = Micros.EARLIEST, max = Micros.LATEST) long micros,
      @ForAll @LongRange(min = 1_000, max = 31L * 86_400 * SECOND) long size) {
    long start = SlotPolicy.of(1, Micros.duration(size)).windowStart(micros);
    assertThat(start % size).isZero();
    assertThat(micros - start).isBetween(0L, size - 1);
  }

  private static List<String> wrong(int maxPerWindow, long windowMicros) {
    InvalidSlotPolicyException refused =
        catchThrowableOfType(
            InvalidSlotPolicyException.class,
            () ->
                PolicyTimes.policy(
                    maxPerWindow,
                    windowMicros,
                    Spread.EVEN,
                    PolicyTimes.UNBOUNDED,
                    NotBefore.REQUESTED,
                    Calendar.ALWAYS,
                    PolicyTimes.NOT_PAUSED));
    return refused == null
        ? List.of()
        : refused.violations().stream().map(Violation::field).toList();
  }
}
