package dev.weir.core.limits;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The leases of one resource, those that end first in front: the state of a {@link Concurrency} and
 * of a {@link Queue}. Immutable.
 */
public record LiveLeases(List<Lease> leases) {
  private static final Comparator<Lease> BY_END =
      Comparator.comparingLong(Lease::expiresAtMicros).thenComparing(Lease::id);

  public static final LiveLeases NONE = new LiveLeases(List.of());

  public LiveLeases {
    leases = leases.stream().sorted(BY_END).toList();
  }

  /** Those that have not ended at the given time. */
  public LiveLeases at(long nowMicros) {
    return leases.isEmpty() || leases.getFirst().expiresAtMicros() > nowMicros
        ? this
        : new LiveLeases(
            leases.stream().filter(lease -> lease.expiresAtMicros() > nowMicros).toList());
  }

  public int places() {
    return leases.stream().mapToInt(Lease::places).sum();
  }

  public Optional<Lease> find(String id) {
    return leases.stream().filter(lease -> lease.id().equals(id)).findFirst();
  }

  LiveLeases with(Lease lease) {
    List<Lease> more = new ArrayList<>(leases);
    more.add(lease);
    return new LiveLeases(more);
  }

  LiveLeases without(String id) {
    return new LiveLeases(leases.stream().filter(lease -> !lease.id().equals(id)).toList());
  }

  /** How long until leases of so many places have ended. */
  long waitMicros(int places, long nowMicros) {
    long ended = 0;
    for (Lease lease : leases) {
      ended += lease.places();
      if (ended >= places) {
        return lease.expiresAtMicros() - nowMicros;
      }
    }
    throw new IllegalArgumentException("only " + ended + " places are held, not " + places);
  }

  /** What was decided, and which leases live after it. */
  public record Step(LiveLeases next, LeaseDecision decision) {}
}
