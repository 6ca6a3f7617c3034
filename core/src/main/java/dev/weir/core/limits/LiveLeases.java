package dev.weir.core.limits;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The leases of one resource, those that end first in front: the state of a {@link Concurrency} and
 * of a {@link Queue}. Immutable.
 */
public final class LiveLeases {
  private static final Comparator<Lease> BY_ID = Comparator.comparing(Lease::id);
  private static final Comparator<Lease> BY_END =
      Comparator.comparingLong(Lease::expiresAtMicros).thenComparing(BY_ID);

  public static final LiveLeases NONE =
      new LiveLeases(LeaseTree.empty(BY_END), LeaseTree.empty(BY_ID));

  private final LeaseTree byEnd;
  private final LeaseTree byId;

  private LiveLeases(LeaseTree byEnd, LeaseTree byId) {
    this.byEnd = byEnd;
    this.byId = byId;
  }

  /** All of them, by their end. */
  public List<Lease> leases() {
    List<Lease> leases = new ArrayList<>(byEnd.size());
    byEnd.forEach(leases::add);
    return leases;
  }

  public boolean isEmpty() {
    return byEnd.size() == 0;
  }

  /** Those that have not ended at the given time. */
  public LiveLeases at(long nowMicros) {
    LiveLeases live = this;
    Optional<Lease> first = byEnd.first();
    while (first.isPresent() && first.get().expiresAtMicros() <= nowMicros) {
      live = live.without(first.get());
      first = live.byEnd.first();
    }
    return live;
  }

  public int places() {
    return byEnd.places();
  }

  public Optional<Lease> find(String id) {
    return byId.find(new Lease(id, 1, 0));
  }

  /** With one more, whose id none of these has. */
  LiveLeases with(Lease lease) {
    return new LiveLeases(byEnd.with(lease), byId.with(lease));
  }

  LiveLeases without(String id) {
    return find(id).map(this::without).orElse(this);
  }

  private LiveLeases without(Lease lease) {
    return new LiveLeases(byEnd.without(lease), byId.without(lease));
  }

  /** How long until leases of so many places have ended. */
  long waitMicros(int places, long nowMicros) {
    return byEnd
        .reaching(places)
        .map(last -> last.expiresAtMicros() - nowMicros)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "only %d places are held, not %d".formatted(places(), places)));
  }

  /** What was decided, and which leases live after it. */
  public record Step(LiveLeases next, LeaseDecision decision) {}
}
