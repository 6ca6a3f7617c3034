package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class LiveLeasesTest {
  private static final int MANY = 200_000;

  @Test
  void noneHoldsNothing() {
    assertThat(LiveLeases.NONE.places()).isZero();
    assertThat(LiveLeases.NONE.isEmpty()).isTrue();
    assertThat(LiveLeases.NONE.at(0).leases()).isEmpty();
  }

  @Test
  void thoseThatEndFirstAreInFront() {
    Lease late = new Lease("a", 1, 7);
    Lease early = new Lease("c", 2, 5);
    Lease alike = new Lease("b", 3, 5);
    LiveLeases leases = LiveLeases.NONE.with(late).with(early).with(alike);
    assertThat(leases.leases()).containsExactly(alike, early, late);
    assertThat(leases.at(4).places()).isEqualTo(6);
    assertThat(leases.at(5).leases()).containsExactly(late);
    assertThat(leases.at(7).isEmpty()).isTrue();
    assertThat(leases.leases()).hasSize(3);
  }

  /** In an unbalanced tree this would overflow the stack. */
  @Test
  void manyThatComeAndGoInOrderAreNoBurden() {
    LiveLeases leases = LiveLeases.NONE;
    for (int i = 0; i < MANY; i++) {
      leases = leases.with(new Lease("%08d".formatted(i), 1, i + 1));
    }
    assertThat(leases.places()).isEqualTo(MANY);
    assertThat(leases.waitMicros(MANY / 2, 0)).isEqualTo(MANY / 2);
    for (int i = 0; i < MANY / 4; i++) {
      leases = leases.without("%08d".formatted(i));
    }
    assertThat(leases.at(MANY - 10).places()).isEqualTo(10);
  }
}
