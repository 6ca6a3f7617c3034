package dev.weir.notifications;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

final class LimitVersionsTest {
  private static final int MAX_USERS = 3;

  /** Nanoseconds may overflow. */
  private static final long FIRST_NANOS = Long.MAX_VALUE - LimitVersions.KEEP.toNanos() / 3;

  private final AtomicLong nanos = new AtomicLong(FIRST_NANOS);
  private final LimitVersions versions = new LimitVersions(MAX_USERS, nanos::get);

  @Test
  void versionIsKeptForAWhileAfterItsEntryWasDropped() {
    versions.changed(1, 7);
    versions.dropped(1, 7);

    later();
    assertThat(versions.pending(10)).isEmpty();
    assertThat(versions.minVersion(1)).isEqualTo(7);

    nanos.incrementAndGet();
    assertThat(versions.pending(10)).isEmpty();
    assertThat(versions.minVersion(1)).isZero();
  }

  @Test
  void versionIsKeptAsLongAsItsEntryWasNotDropped() {
    versions.changed(1, 7);
    versions.dropped(1, 6);

    later();
    later();
    assertThat(versions.pending(10)).containsExactly(1L);
    assertThat(versions.minVersion(1)).isEqualTo(7);
  }

  @Test
  void changeAfterADropHasToBeDroppedAgain() {
    versions.changed(1, 7);
    versions.dropped(1, 7);
    versions.changed(1, 8);

    later();
    nanos.incrementAndGet();
    assertThat(versions.pending(10)).containsExactly(1L);
    assertThat(versions.minVersion(1)).isEqualTo(8);
  }

  @Test
  void earlierVersionChangesNothing() {
    versions.changed(1, 7);
    versions.dropped(1, 7);
    versions.changed(1, 6);

    assertThat(versions.pending(10)).isEmpty();
    assertThat(versions.minVersion(1)).isEqualTo(7);
  }

  @Test
  void noEntryIsUsedAWhileAfterTooManyChanges() {
    for (long user = 0; user < MAX_USERS; user++) {
      versions.changed(user, 1);
      versions.dropped(user, 1);
    }
    assertThat(versions.isFull()).isFalse();

    versions.changed(MAX_USERS, 1);
    assertThat(versions.isFull()).isTrue();
    assertThat(versions.minVersion(MAX_USERS)).isZero();

    later();
    assertThat(versions.pending(10)).isEmpty();
    assertThat(versions.isFull()).isTrue();

    nanos.incrementAndGet();
    assertThat(versions.pending(10)).isEmpty();
    assertThat(versions.isFull()).isFalse();
    versions.changed(MAX_USERS, 2);
    assertThat(versions.minVersion(MAX_USERS)).isEqualTo(2);
  }

  @Test
  void knownUserIsRememberedWhenThereIsNoRoomForOthers() {
    for (long user = 0; user < MAX_USERS; user++) {
      versions.changed(user, 1);
    }

    versions.changed(1, 2);
    assertThat(versions.minVersion(1)).isEqualTo(2);
    assertThat(versions.isFull()).isFalse();
  }

  /** One step: a change, or a drop of the version that the store had to be asked about. */
  record Step(long userId, boolean isChange, long nanos) {}

  @Property(tries = 1_000)
  void rememberedVersionsAreThoseOfAModelThatForgetsNothing(@ForAll("steps") List<Step> steps) {
    AtomicLong time = new AtomicLong(FIRST_NANOS);
    LimitVersions remembered = new LimitVersions(MAX_USERS, time::get);
    Map<Long, Long> latest = new HashMap<>();
    Map<Long, Long> needed = new HashMap<>();
    long version = 0;
    for (Step step : steps) {
      time.addAndGet(step.nanos());
      if (step.isChange()) {
        version++;
        latest.put(step.userId(), version);
        needed.put(step.userId(), Long.MAX_VALUE);
        remembered.changed(step.userId(), version);
      } else if (needed.getOrDefault(step.userId(), 0L) == Long.MAX_VALUE) {
        needed.put(step.userId(), time.get());
        remembered.dropped(step.userId(), remembered.minVersion(step.userId()));
      }
      List<Long> pending = remembered.pending(10);
      needed.forEach(
          (user, at) -> {
            boolean isPending = at == Long.MAX_VALUE;
            boolean isNeeded = isPending || time.get() - at <= LimitVersions.KEEP.toNanos();
            assertThat(remembered.minVersion(user)).isEqualTo(isNeeded ? latest.get(user) : 0);
            assertThat(pending.contains(user)).isEqualTo(isPending);
          });
      assertThat(remembered.isFull()).isFalse();
    }
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    long keep = LimitVersions.KEEP.toNanos();
    return Combinators.combine(
            Arbitraries.longs().between(1, MAX_USERS),
            Arbitraries.of(true, false),
            Arbitraries.of(0L, 1L, keep / 2, keep, keep + 1))
        .as(Step::new)
        .list()
        .ofMaxSize(40);
  }

  private void later() {
    nanos.addAndGet(LimitVersions.KEEP.toNanos());
  }
}
