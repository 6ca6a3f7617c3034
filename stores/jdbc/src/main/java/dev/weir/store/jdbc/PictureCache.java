package dev.weir.store.jdbc;

import dev.weir.core.slots.Picture;
import dev.weir.engine.slots.SlotConfig;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The pictures of windows that this node kept from its last transactions. Thread-safe.
 *
 * <p>A picture is taken out to be used and brought back after the commit, so a transaction that
 * fails leaves none behind. Whether one is still true is decided by the database, by its number.
 */
final class PictureCache {
  private static final int MOST_PICTURES = 1_000;
  private static final int LARGEST_PICTURE = 50_000;

  private final ConcurrentMap<String, Kept> pictures = new ConcurrentHashMap<>();

  /** A picture, the version that it was planned under, and the book as it was left. */
  record Kept(Picture picture, SlotConfig config, BookRow row) {
    /** Whether nothing has changed until the book was read, under its lock. */
    boolean shows(BookRow locked) {
      return row.seq() == locked.seq() && config.version() == locked.version();
    }
  }

  Optional<Kept> take(String configName) {
    return Optional.ofNullable(pictures.remove(configName));
  }

  /** Takes the pictures of all these configurations, or none if one of them is not here. */
  Map<String, Kept> takeAll(Collection<String> configNames) {
    Map<String, Kept> taken = new LinkedHashMap<>();
    for (String name : configNames) {
      take(name).ifPresent(kept -> taken.put(name, kept));
    }
    if (taken.size() < configNames.size()) {
      taken.values().forEach(this::bringBack);
      return Map.of();
    }
    return taken;
  }

  void bringBack(Kept kept) {
    if (kept.picture().isLargerThan(LARGEST_PICTURE)) {
      return;
    }
    if (pictures.size() >= MOST_PICTURES) {
      pictures.clear();
    }
    // Two transactions of this node may come back in another order than they committed.
    pictures.merge(
        kept.row().name(), kept, (one, other) -> one.row().seq() > other.row().seq() ? one : other);
  }
}
