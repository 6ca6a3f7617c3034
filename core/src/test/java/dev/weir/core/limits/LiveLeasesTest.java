package dev.weir.core.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class LiveLeasesTest {
  @Test
  void noneHoldsNothing() {
    assertThat(LiveLeases.NONE.places()).isZero();
    assertThat(LiveLeases.NONE.at(0)).isEqualTo(new LiveLeases(List.of()));
  }

  @Test
  void thoseThatEndFirstAreInFront() {
    Lease late = new Lease("a", 1, 7);
    Lease early = new Lease("b", 2, 5);
    Lease alike = new Lease("a", 3, 5);
    LiveLeases leases = new LiveLeases(List.of(late, early, alike));
    assertThat(leases.leases()).containsExactly(alike, early, late);
    assertThat(leases.at(4).places()).isEqualTo(6);
    assertThat(leases.at(5).leases()).containsExactly(late);
    assertThat(leases.at(7)).isEqualTo(LiveLeases.NONE);
  }
}
