package dev.weir.store.jdbc;

import dev.weir.core.slots.Picture;
import dev.weir.engine.slots.SlotConfig;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The pictures of windows that this node kept from its last transactions. Thread-safe.
 *
 * <p>A picture is taken out to be used and brought back after the commit, so a transaction that
 * fails leaves none behind. Whether one is still true is decided under the lock, by its number.
 */
final class PictureCache {
  private static final int MOST_PICTURES = 1_000;
  private static final int LARGEST_PICTURE = 50_000;

  private final ConcurrentMap<Integer, Kept> pictures = new ConcurrentHashMap<>();

  /** A picture, the version that it was planned under, and the state of the book it shows. */
  record Kept(Picture picture, SlotConfig config, long seq) {}

  Optional<Kept> take(int configId) {
    return Optional.ofNullable(pictures.remove(configId));
  }

  void bringBack(int configId, Kept kept) {
    if (kept.picture().isLargerThan(LARGEST_PICTURE)) {
      return;
    }
    if (pictures.size() >= MOST_PICTURES) {
      pictures.clear();
    }
    // Two transactions of this node may come back in another order than they committed.
    pictures.merge(configId, kept, (one, other) -> one.seq() > other.seq() ? one : other);
  }
}
