package dev.weir.store.jdbc.slots;

import dev.weir.core.slots.OccupancyView;
import dev.weir.engine.slots.SlotConfig;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The pictures of windows that this node kept from its last transactions. Thread-safe.
 *
 * <p>A picture is taken out to be used and brought back after the commit, so a transaction that
 * fails leaves none behind. Whether one is still true is decided by the database, by its number.
 *
 * <p>All together take no more than a given memory: those that were not used for the longest time
 * have to go.
 */
final class OccupancyCache {
  /** An eighth of the heap for what is kept; what is in use takes about as much again. */
  static final long SHARE_OF_HEAP_BYTES = Runtime.getRuntime().maxMemory() / 8;

  /** What the rest of a picture takes: its row, its trees, its entry here. */
  private static final int PICTURE_BYTES = 1_000;

  private final long mostBytes;

  /** Those that were brought back last come last. */
  private final Map<String, Held> pictures = new LinkedHashMap<>();

  private long heldBytes;

  OccupancyCache(long mostBytes) {
    this.mostBytes = mostBytes;
  }

  /** A picture, the version that it was planned under, and the book as it was left. */
  record Kept(OccupancyView picture, SlotConfig config, BookRow row) {
    /** Whether nothing has changed until the book was read, under its lock. */
    boolean shows(BookRow locked) {
      return row.seq() == locked.seq() && config.version() == locked.version();
    }
  }

  /** A picture changes only while it is not here, so its size is known. */
  private record Held(Kept kept, long bytes) {}

  /** How much memory all pictures together may take. */
  long mostBytes() {
    return mostBytes;
  }

  synchronized long heldBytes() {
    return heldBytes;
  }

  synchronized Optional<Kept> take(String configName) {
    Held held = pictures.remove(configName);
    if (held == null) {
      return Optional.empty();
    }
    heldBytes -= held.bytes();
    return Optional.of(held.kept());
  }

  /** Takes the pictures of all these configurations, or none if one of them is not here. */
  synchronized Map<String, Kept> takeAll(Collection<String> configNames) {
    Map<String, Kept> taken = new LinkedHashMap<>();
    if (pictures.keySet().containsAll(configNames)) {
      for (String name : configNames) {
        take(name).ifPresent(kept -> taken.put(name, kept));
      }
    }
    return taken;
  }

  synchronized void bringBack(Kept kept) {
    String name = kept.row().name();
    // Two transactions of this node may come back in another order than they committed.
    Optional<Kept> other = take(name);
    Kept newer =
        other.isPresent() && other.get().row().seq() > kept.row().seq() ? other.get() : kept;
    if (newer.picture().heapBytes() > mostBytes / 4) {
      newer.picture().forgetUnchanged();
    }
    long bytes = PICTURE_BYTES + newer.picture().heapBytes();
    if (bytes > mostBytes / 4) {
      return;
    }
    pictures.put(name, new Held(newer, bytes));
    heldBytes += bytes;
    while (heldBytes > mostBytes) {
      take(pictures.keySet().iterator().next());
    }
  }
}
