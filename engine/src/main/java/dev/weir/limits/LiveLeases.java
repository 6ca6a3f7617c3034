package dev.weir.limits;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The leases of one resource in the order of their expiry: the state of a {@link Concurrency} and
 * of a {@link Queue}. Immutable.
 */
public final class LiveLeases {
  private static final Comparator<Lease> BY_ID = Comparator.comparing(Lease::id);
  private static final Comparator<Lease> BY_EXPIRY =
      Comparator.comparingLong(Lease::expiresAtMicros).thenComparing(BY_ID);

  public static final LiveLeases NONE =
      new LiveLeases(LeaseTree.empty(BY_EXPIRY), LeaseTree.empty(BY_ID));

  private final LeaseTree byExpiry;
  private final LeaseTree byId;

  private LiveLeases(LeaseTree byExpiry, LeaseTree byId) {
    this.byExpiry = byExpiry;
    this.byId = byId;
  }

  /** Returns leases with different ids, such as those that a store has read. */
  public static LiveLeases of(Collection<Lease> leases) {
    LiveLeases live = NONE;
    for (Lease lease : leases) {
      live = live.with(lease);
    }
    return live;
  }

  /** Returns all leases in the order of their expiry. */
  public List<Lease> leases() {
    List<Lease> leases = new ArrayList<>(byExpiry.size());
    byExpiry.forEach(leases::add);
    return leases;
  }

  /** Returns the number of leases, which may hold several places each. */
  public int size() {
    return byExpiry.size();
  }

  public boolean isEmpty() {
    return size() == 0;
  }

  /** Returns the leases that have not expired at the given time. */
  public LiveLeases at(long nowMicros) {
    LiveLeases live = this;
    Optional<Lease> first = byExpiry.first();
    while (first.isPresent() && first.get().expiresAtMicros() <= nowMicros) {
      live = live.without(first.get());
      first = live.byExpiry.first();
    }
    return live;
  }

  public int places() {
    return byExpiry.places();
  }

  public Optional<Lease> find(String id) {
    return byId.find(new Lease(id, 1, 0));
  }

  /** Returns these leases and one more, whose id must be new. */
  LiveLeases with(Lease lease) {
    return new LiveLeases(byExpiry.with(lease), byId.with(lease));
  }

  LiveLeases without(String id) {
    return find(id).map(this::without).orElse(this);
  }

  private LiveLeases without(Lease lease) {
    return new LiveLeases(byExpiry.without(lease), byId.without(lease));
  }

  /** Returns the time until leases of {@code places} places have expired. */
  long waitMicros(int places, long nowMicros) {
    return byExpiry
        .reaching(places)
        .map(last -> last.expiresAtMicros() - nowMicros)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "only %d places are held, not %d".formatted(places(), places)));
  }

  /** A decision and the leases after it. */
  public record Step<D extends LeaseDecision>(LiveLeases next, D decision) {}
}
