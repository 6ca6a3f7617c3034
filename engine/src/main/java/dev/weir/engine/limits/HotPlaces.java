package dev.weir.engine.limits;

import dev.weir.core.limits.Limit;
import dev.weir.core.limits.Usage;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Places in front of the tables for the keys of a store that has few, found by nothing but the hash
 * that a String has anyway.
 *
 * <p>A key has one place here, which others have as well; who has it now is known by its text. Its
 * count is then here and nowhere else: {@link Promotions} moves it from its segment and back.
 *
 * <p>Whoever holds a place may look at it and change it, nobody else may. To look whose it is only
 * then is quicker: behind a lock a processor goes on to what comes next, before it nothing can.
 */
final class HotPlaces {
  static final int PLACES = 1 << 12;

  /** With more keys it takes longer to look here first than it saves. */
  private static final int FEW = PLACES;

  /** One in so many who come in vain gets the place, so mostly one who comes often. */
  private static final int SELDOM = 1_024;

  /** A line of the cache each, so that no two keys share one. */
  private static final int LONGS = 8;

  // Time and counts are where they are in all places; before them and behind:
  private static final int HELD = 0;
  private static final int TEXT_HASH = 1;
  private static final int IN_VAIN = 5;

  private static final VarHandle HANDLE = MethodHandles.arrayElementVarHandle(long[].class);
  private static final int SPREAD = 0x9E37_79B9;
  private static final int SHIFT = Integer.numberOfLeadingZeros(PLACES - 1);

  private final long[] places = new long[PLACES * LONGS];
  private final @Nullable String[] keys = new @Nullable String[PLACES];
  private final @Nullable Policy<?>[] policies = new Policy<?>[PLACES];
  private final AtomicLong total;
  // A race is harmless: some places are swept twice, or a round later.
  private int nextSwept;

  /**
   * @param total counts the keys of the whole store
   */
  HotPlaces(AtomicLong total) {
    this.total = total;
  }

  /** Whether it is worth while to look here first. */
  boolean areInUse() {
    return total.get() <= FEW;
  }

  /** The array of which a place is an index. */
  long[] places() {
    return places;
  }

  /** Holds the place of a key that has it under this very limit; else {@link Segment#ABSENT}. */
  int hold(Policy<?> policy, String key) {
    int textHash = key.hashCode();
    int place = placeOf(textHash);
    hold(place);
    if (places[place + TEXT_HASH] == textHash
        && key.equals(keys[place / LONGS])
        && isSame(policies[place / LONGS], policy)) {
      return place;
    }
    places[place + IN_VAIN]++;
    letGo(place);
    return Segment.ABSENT;
  }

  @SuppressWarnings("ReferenceEquality") // it mostly is the very same, which is quicker to see
  private static boolean isSame(@Nullable Policy<?> one, Policy<?> other) {
    return one == other
        || (one != null && one.name().equals(other.name()) && one.limit().equals(other.limit()));
  }

  /** Whether a key that was looked for in vain should get its place; only a guess. */
  boolean isWonBy(String key) {
    int place = placeOf(key.hashCode());
    return isFree(place) || places[place + IN_VAIN] >= SELDOM;
  }

  /** Holds the place that a key would have, whoever has it. */
  int holdPlaceOf(String key) {
    int place = placeOf(key.hashCode());
    hold(place);
    return place;
  }

  private static int placeOf(int textHash) {
    return ((textHash * SPREAD) >>> SHIFT) * LONGS;
  }

  private void hold(int place) {
    // Without a look before, which would fetch the line twice, once to read and once to write.
    for (int tries = 0; (long) HANDLE.getAndSet(places, place + HELD, 1L) != 0; tries++) {
      SpinLock.awaitNextTry(tries);
    }
  }

  void letGo(int place) {
    HANDLE.setRelease(places, place + HELD, 0L);
  }

  // With the place held.

  boolean isFree(int place) {
    return keys[place / LONGS] == null;
  }

  /** The key that has a place. */
  String key(int place) {
    return Objects.requireNonNull(keys[place / LONGS]);
  }

  /** The policy by which the key that has a place is counted. */
  Policy<? extends Limit> policy(int place) {
    return Objects.requireNonNull(policies[place / LONGS]);
  }

  /** What the key that has a place has used. */
  Usage usage(int place) {
    return new Usage(
        Places.atMicros(places, place),
        Places.used(places, place),
        Places.before(places, place),
        Terms.scaleOf(policy(place).limit()));
  }

  /** Gives a free place to a key. */
  void give(int place, Policy<?> policy, String key, Usage usage) {
    keys[place / LONGS] = key;
    policies[place / LONGS] = policy;
    places[place + TEXT_HASH] = key.hashCode();
    places[place + IN_VAIN] = 0;
    Places.write(places, place, usage.atMicros(), usage.used());
    Places.writeBefore(places, place, usage.before());
  }

  void free(int place) {
    keys[place / LONGS] = null;
    policies[place / LONGS] = null;
  }

  // Sweeping.

  /** Frees what is idle among the next so many places. The caller holds none. */
  void sweep(int most, long nowMicros) {
    int from = nextSwept;
    nextSwept = (from + most) & (PLACES - 1);
    for (int i = 0; i < most; i++) {
      int place = ((from + i) & (PLACES - 1)) * LONGS;
      if (!isFree(place)) {
        sweepPlace(place, nowMicros);
      }
    }
  }

  private void sweepPlace(int place, long nowMicros) {
    hold(place);
    try {
      if (!isFree(place) && policy(place).limit().settle(usage(place), nowMicros).isNone()) {
        free(place);
        total.getAndDecrement();
      }
    } finally {
      letGo(place);
    }
  }
}
