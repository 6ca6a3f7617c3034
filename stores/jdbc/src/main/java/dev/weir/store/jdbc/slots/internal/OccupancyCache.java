package dev.weir.store.jdbc.slots.internal;

import dev.weir.slots.SlotConfig;
import dev.weir.slots.planning.internal.OccupancyView;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A cache of the views of windows that this node has from its last transactions. Thread-safe.
 *
 * <p>A view is taken out for use and put back after the commit, so a transaction that fails leaves
 * none behind. The database decides by the sequence number whether a view is current.
 *
 * <p>The memory of all views is bounded: the least recently used are evicted.
 */
final class OccupancyCache {
  /** An eighth of the heap for cached views; those in use take about as much again. */
  static final long SHARE_OF_HEAP_BYTES = Runtime.getRuntime().maxMemory() / 8;

  /** Memory of a view besides its windows: its row, its trees, its entry in this cache. */
  private static final int BYTES_A_VIEW = 1_000;

  private final long maxBytes;

  /** Least recently put back first. */
  private final Map<String, Entry> views = new LinkedHashMap<>();

  private long heldBytes;

  OccupancyCache(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** A view, the version of the configuration it was planned under, and the row as written. */
  record CachedView(OccupancyView view, SlotConfig config, ConfigRow row) {
    /** Returns true if nothing has changed up to the time when the row was locked. */
    boolean isCurrent(ConfigRow locked) {
      return row.seq() == locked.seq()
          && row.configId() == locked.configId()
          && locked.isInForce(config);
    }
  }

  /** A cached view with its size; a view changes only while it is taken out of the cache. */
  private record Entry(CachedView kept, long bytes) {}

  /** Returns the max memory of all views together. */
  long maxBytes() {
    return maxBytes;
  }

  synchronized long heldBytes() {
    return heldBytes;
  }

  /** Returns the row of a cached view, as it was written. */
  synchronized Optional<ConfigRow> rowOf(String configName) {
    Entry held = views.get(configName);
    return held == null ? Optional.empty() : Optional.of(held.kept().row());
  }

  synchronized Optional<CachedView> take(String configName) {
    Entry held = views.remove(configName);
    if (held == null) {
      return Optional.empty();
    }
    heldBytes -= held.bytes();
    return Optional.of(held.kept());
  }

  /** Takes the views of all these configurations, or none if one of them is not cached. */
  synchronized Map<String, CachedView> takeAll(Collection<String> configNames) {
    Map<String, CachedView> taken = new LinkedHashMap<>();
    if (views.keySet().containsAll(configNames)) {
      for (String name : configNames) {
        take(name).ifPresent(kept -> taken.put(name, kept));
      }
    }
    return taken;
  }

  synchronized void putBack(CachedView kept) {
    String name = kept.row().name();
    // Two transactions of this node may put views back in another order than they committed.
    Optional<CachedView> other = take(name);
    CachedView newer =
        other.isPresent() && other.get().row().seq() > kept.row().seq() ? other.get() : kept;
    if (newer.view().heapBytes() > maxBytes / 4) {
      newer.view().forgetUnchanged();
    }
    long bytes = BYTES_A_VIEW + newer.view().heapBytes();
    if (bytes > maxBytes / 4) {
      return;
    }
    views.put(name, new Entry(newer, bytes));
    heldBytes += bytes;
    while (heldBytes > maxBytes) {
      take(views.keySet().iterator().next());
    }
  }
}
