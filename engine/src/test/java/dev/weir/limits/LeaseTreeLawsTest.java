package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** The tree of leases compared with a sorted set of the JDK. */
class LeaseTreeLawsTest {
  private static final Comparator<Lease> BY_END = Comparator.comparingLong(Lease::expiresAtMicros);

  /** Adds positive numbers and removes negative ones, each with as many places as its digit. */
  @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
  void holdsWhatASetHolds(
      @ForAll @Size(max = 300) List<@IntRange(min = -60, max = 60) Integer> moves) {
    LeaseTree tree = LeaseTree.empty(BY_END);
    TreeSet<Lease> set = new TreeSet<>(BY_END);
    for (int move : moves) {
      Lease lease = new Lease("l", 1 + Math.abs(move) % 10, Math.abs(move));
      if (move < 0) {
        tree = tree.without(lease);
        set.remove(lease);
      } else if (set.add(lease)) {
        tree = tree.with(lease);
      }
      assertThat(tree.find(lease).isPresent()).isEqualTo(set.contains(lease));
      assertThat(tree.first()).isEqualTo(set.stream().findFirst());
      assertThat(tree.size()).isEqualTo(set.size());
    }
    List<Lease> all = new ArrayList<>();
    tree.forEach(all::add);
    assertThat(all).containsExactlyElementsOf(set);
    int sum = 0;
    for (Lease lease : set) {
      for (int places = sum + 1; places <= sum + lease.places(); places++) {
        assertThat(tree.reaching(places)).contains(lease);
      }
      sum += lease.places();
    }
    assertThat(tree.places()).isEqualTo(sum);
    assertThat(tree.reaching(sum + 1)).isEmpty();
  }
}
