package dev.weir.slots.planning.internal;

import dev.weir.internal.Micros;
import dev.weir.internal.Places;
import dev.weir.slots.Spread;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * The occupancy of one window: which places are taken. Every event in a window has its own place;
 * under {@link Spread#EVEN} the place also determines the time.
 *
 * <p>Mutable and not thread-safe: it belongs to one {@link OccupancyView}.
 */
public final class Window {
  /** Size of the object and its array without elements. */
  private static final int HEAP_BYTES = 56;

  private final long startMicros;
  private long[] words;
  private int taken;

  /** The number of events whose time is not that of their place. */
  private int offGrid;

  /** Words below this index are fully taken; keeps filling a large window linear. */
  private int firstOpenWord;

  public Window(long startMicros) {
    this(startMicros, new long[0]);
  }

  private Window(long startMicros, long[] words) {
    this.startMicros = startMicros;
    this.words = words;
    for (long word : words) {
      taken += Long.bitCount(word);
    }
  }

  /**
   * Returns a window from the form in which stores keep it, see {@link #toBytes()}.
   *
   * @param places null if none is taken: there are databases without empty values
   */
  public static Window of(long startMicros, byte @Nullable [] places, int offGrid) {
    long[] words = places == null ? new long[0] : BitSet.valueOf(places).toLongArray();
    Window window = new Window(startMicros, words);
    window.offGrid = offGrid;
    return window;
  }

  public long startMicros() {
    return startMicros;
  }

  public int taken() {
    return taken;
  }

  /**
   * Returns the number of events that were {@linkplain CarriedEvents carried over} from windows of
   * another size, or adopted with times of their own. While there are any, the window must be
   * rebuilt when an event leaves it: another one may be nearer to the place that becomes free.
   */
  public int offGrid() {
    return offGrid;
  }

  public boolean isTaken(int place) {
    int word = place >>> 6;
    return word < words.length && (words[word] & (1L << place)) != 0;
  }

  /** Takes a free place. */
  void take(int place) {
    if (place < 0 || place >= Places.COUNT || isTaken(place)) {
      throw new IllegalArgumentException(
          "place " + place + " of window " + startMicros + " cannot be taken");
    }
    int word = place >>> 6;
    if (word >= words.length) {
      words = Arrays.copyOf(words, Math.max(word + 1, words.length + (words.length >>> 1)));
    }
    words[word] |= 1L << place;
    taken++;
  }

  /** Sets the number of events whose time is not that of their place. */
  void setOffGrid(int events) {
    offGrid = events;
  }

  /** Releases a place. Returns false if it was already free. */
  boolean release(int place) {
    if (!isTaken(place)) {
      return false;
    }
    words[place >>> 6] &= ~(1L << place);
    taken--;
    firstOpenWord = 0;
    return true;
  }

  /**
   * Returns the lowest free place below {@code max} with a rank in [from, until), or {@link
   * Places#NONE}.
   */
  int lowestFree(int max, int fromRank, int untilRank) {
    skipFullWords();
    int lastWord = (max - 1) >>> 6;
    for (int word = firstOpenWord; word <= lastWord; word++) {
      long free = free(word, max, fromRank, untilRank);
      if (free != 0) {
        return (word << 6) + Long.numberOfTrailingZeros(free);
      }
    }
    return Places.NONE;
  }

  /** Returns the number of free places below {@code max} with a rank in [from, until). */
  int countFree(int max, int fromRank, int untilRank) {
    int count = 0;
    int lastWord = (max - 1) >>> 6;
    for (int word = 0; word <= lastWord; word++) {
      count += Long.bitCount(free(word, max, fromRank, untilRank));
    }
    return count;
  }

  /** Returns the approximate memory consumption. */
  int heapBytes() {
    return HEAP_BYTES + Long.BYTES * words.length;
  }

  Window copy() {
    Window copy = new Window(startMicros, words.clone());
    copy.offGrid = offGrid;
    return copy;
  }

  /**
   * Returns the bitmap of places, place 0 in the lowest bit of the first byte, without trailing
   * zeros.
   */
  public byte[] toBytes() {
    return BitSet.valueOf(words).toByteArray();
  }

  private long free(int word, int max, int fromRank, int untilRank) {
    long free = word < words.length ? ~words[word] : -1L;
    if (fromRank > 0) {
      free &= Places.notBefore(word, fromRank);
    }
    if (untilRank < Places.COUNT) {
      free &= ~Places.notBefore(word, untilRank);
    }
    int placesLeft = max - (word << 6);
    return placesLeft >= 64 ? free : free & ((1L << placesLeft) - 1);
  }

  private void skipFullWords() {
    while (firstOpenWord < words.length && words[firstOpenWord] == -1L) {
      firstOpenWord++;
    }
  }

  @Override
  public String toString() {
    return "Window[start=" + Micros.instant(startMicros) + ", taken=" + taken + "]";
  }
}
