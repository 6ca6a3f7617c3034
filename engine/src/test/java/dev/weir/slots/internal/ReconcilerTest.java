package dev.weir.slots.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.slots.AssignRequest;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotObserver;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotRequest;
import dev.weir.slots.SlotUpkeep;
import dev.weir.slots.Transition;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class ReconcilerTest {
  private static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");

  private Instant now = NOW;
  private final InstantSource clock = () -> now;
  private final MemorySlotLedger ledger = new MemorySlotLedger(clock, new Random(1), 100_000);
  private final SlotConfig config =
      ledger.configure("default", SlotPolicy.of(1_000, Duration.ofSeconds(1)));
  private final List<String> seen = new ArrayList<>();
  private final SlotObserver observer =
      new SlotObserver() {
        @Override
        public void leaked(long slots) {
          seen.add("leaked " + slots);
        }

        @Override
        public void reclaimed(int slots) {
          seen.add("reclaimed " + slots);
        }

        @Override
        public void removed(int slots) {
          seen.add("removed " + slots);
        }
      };

  /** Assigns slots for a time at that time. */
  private void assign(String prefix, int count, Duration ago) {
    now = NOW.minus(ago);
    assignNow(prefix, count, ago);
    now = NOW;
  }

  /** Slots leak only where slots are confirmed. */
  private void confirmOne() {
    assign("confirmed", 1, Duration.ofSeconds(10));
    assertThat(ledger.confirm("confirmed0")).isInstanceOf(Transition.Done.class);
  }

  private void assignNow(String prefix, int count, Duration ago) {
    List<AssignRequest> requests =
        IntStream.range(0, count)
            .mapToObj(i -> new SlotRequest(prefix + i, "default", NOW.minus(ago)))
            .map(request -> new AssignRequest(request, config))
            .toList();
    assertThat(ledger.assign(requests)).hasSize(count);
  }

  private void run(boolean reclaim, Duration retention, int maxSteps) {
    new Reconciler(
            ledger,
            new Reconciler.Settings(Duration.ofMinutes(5), reclaim, retention, maxSteps),
            observer)
        .run();
  }

  /** A negative grace would free the places of slots that are not due. */
  @Test
  void settingsAreValidated() {
    Duration negative = Duration.ofDays(-1);
    assertThatThrownBy(() -> new Reconciler.Settings(negative, true, Duration.ZERO, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("leakGrace");
    assertThatThrownBy(() -> new Reconciler.Settings(Duration.ZERO, true, negative, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("retention");
    assertThatThrownBy(() -> new Reconciler.Settings(Duration.ZERO, true, Duration.ZERO, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("maxSteps");
  }

  @Test
  void countsWhatLeakedLongerAgoThanTheGrace() {
    confirmOne();
    assign("old", 3, Duration.ofMinutes(6));
    assign("young", 2, Duration.ofMinutes(4));

    run(false, Reconciler.Settings.FOREVER, 10);

    assertThat(seen).containsExactly("leaked 3");
  }

  @Test
  void reclaimsInStepsIfItShould() {
    assign("old", 5_000, Duration.ofMinutes(6));

    run(true, Reconciler.Settings.FOREVER, 10);

    assertThat(seen).containsExactly("reclaimed 5000", "leaked 0");
  }

  @Test
  void makesABoundedNumberOfSteps() {
    confirmOne();
    assign("old", 5_000, Duration.ofMinutes(6));

    run(true, Duration.ofMinutes(1), 2);
    run(true, Duration.ofMinutes(1), 2);

    assertThat(seen)
        .containsExactly(
            "reclaimed 4000",
            "leaked 1000",
            "removed 4000",
            "reclaimed 1000",
            "leaked 0",
            "removed 1000");
  }

  @Test
  void removesOnlyWhatIsOlderThanTheRetention() {
    confirmOne();
    assign("old", 3, Duration.ofDays(8));
    assign("young", 2, Duration.ofDays(6));

    run(false, Duration.ofDays(7), 10);

    assertThat(seen).containsExactly("leaked 5", "removed 3");
    assertThat(ledger.find("old0")).isEmpty();
    assertThat(ledger.find("young0")).isPresent();
  }

  @Test
  void slotForAPastTimeIsAsYoungAsItsAssignment() {
    assignNow("late", 3, Duration.ofDays(8));

    run(true, Duration.ofDays(7), 10);

    assertThat(seen).containsExactly("reclaimed 0", "leaked 0", "removed 0");
    assertThat(ledger.confirm("late0")).isInstanceOf(Transition.Done.class);
  }

  @Test
  void doesNothingWhileAnotherNodeIsAtIt() {
    SlotUpkeep busy =
        new SlotUpkeep() {
          @Override
          public boolean runExclusively(Runnable work) {
            return false;
          }

          @Override
          public long countLeaked(Instant before, int max) {
            throw new AssertionError("not alone");
          }

          @Override
          public int reclaim(Instant before, int max) {
            throw new AssertionError("not alone");
          }

          @Override
          public int removePast(Instant before, int max) {
            throw new AssertionError("not alone");
          }

          @Override
          public int tidy(int max) {
            throw new AssertionError("not alone");
          }

          @Override
          public Instant now() {
            throw new AssertionError("not alone");
          }
        };

    new Reconciler(busy, new Reconciler.Settings(Duration.ZERO, true, Duration.ZERO, 1), observer)
        .run();

    assertThat(seen).isEmpty();
  }
}
