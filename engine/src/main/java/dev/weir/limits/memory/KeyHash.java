package dev.weir.limits.memory;

import dev.weir.internal.LimitNames;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * A keyed 128-bit hash of kind of limit, policy and key, by which a key is identified in memory.
 *
 * <p>It is the multiply-shift scheme for vectors (Dietzfelbinger, 1996) in two lanes. A lane
 * multiplies each word of the text by its own secret of 128 bits, keeps the upper half and adds up.
 * The lower halves would carry at most one into the difference of two texts, so any two texts that
 * an attacker chooses collide in a lane with a probability of 2^-63 and in both with 2^-126, over
 * the secrets, which are drawn for each store and never leave it. The only assumption about an
 * attacker is that the hash values are not visible. Of the second lane, the lowest 14 bits are a
 * hash of kind and policy alone, so keys of one policy collide with 2^-112. Thread-safe.
 *
 * <p>No text contains NUL, so words are padded with zeros and the length is not hashed.
 */
final class KeyHash {
  private static final int NARROW_PER_WORD = 8;
  private static final int CHARS_PER_WORD = 4;

  /** The maximum number of words of a short key. */
  private static final int WORDS_OF_SHORT = 3;

  /** Each word has a secret of two halves in each of two lanes. */
  private static final int SECRETS_PER_WORD = 4;

  private static final int SECRETS_PER_NARROW_TEXT =
      Math.ceilDiv(LimitNames.MAX_LENGTH, NARROW_PER_WORD) * SECRETS_PER_WORD;
  private static final int SECRETS_PER_TEXT =
      Math.ceilDiv(LimitNames.MAX_LENGTH, CHARS_PER_WORD) * SECRETS_PER_WORD;

  // Offsets of the secrets of each part; the two halves of a lane's secret are adjacent.
  private static final int KIND = 0;
  private static final int POLICY = KIND + SECRETS_PER_WORD;
  private static final int NARROW_KEY = POLICY + SECRETS_PER_TEXT;
  private static final int KEY = NARROW_KEY + SECRETS_PER_NARROW_TEXT;
  private static final int FIRST = 0;
  private static final int SECOND = 2;

  private static final long LOWEST_BITS = 0x0101_0101_0101_0101L;
  private static final long HIGHEST_BITS = 0x8080_8080_8080_8080L;
  private static final long ABOVE_LATIN = 0xFF00_FF00_FF00_FF00L;

  /** A value that no word of a text has, because texts are not empty and contain no NUL. */
  private static final long NOT_NARROW = 0;

  /**
   * The bits of the second lane that all keys of a policy have in common, see {@link KeyCounts}.
   */
  static final long TAG = (1 << 14) - 1;

  /** The number of policies whose sums are cached. */
  private static final int PREFIXES = 256;

  private final long[] secrets = new long[KEY + SECRETS_PER_TEXT];

  // Prefixes are immutable, so a race costs at most one extra computation.
  private final @Nullable Prefix[] prefixes = new @Nullable Prefix[PREFIXES];

  KeyHash(SecureRandom random) {
    for (int i = 0; i < secrets.length; i++) {
      secrets[i] = random.nextLong();
    }
  }

  /** The sums of a policy, to which those of its keys are added. */
  record Prefix(int kind, String policy, long first, long second) {}

  /** Returns the part of the hash that all keys of a policy have in common. */
  Prefix prefix(int kind, String policy) {
    int index = policy.hashCode() & (PREFIXES - 1);
    Prefix prefix = prefixes[index];
    if (prefix == null || prefix.kind() != kind || !prefix.policy().equals(policy)) {
      prefix =
          new Prefix(
              kind,
              policy,
              product(KIND + FIRST, kind) + sum(policy, POLICY + FIRST),
              product(KIND + SECOND, kind) + sum(policy, POLICY + SECOND));
      prefixes[index] = prefix;
    }
    return prefix;
  }

  /**
   * Returns one of the first three words of a key: 0 beyond its end, or if it contains characters
   * outside Latin-1 there.
   *
   * <p>Reading the key takes most of the time, and both lanes need the words. So
   * performance-critical callers read the words once and pass them to both lanes; a value class of
   * two lanes would be allocated if the compiler does not inline this method.
   */
  static long word(String key, int number) {
    int at = number * NARROW_PER_WORD;
    return at < key.length() ? narrowWord(key, at) : 0;
  }

  /**
   * Returns the first lane of the hash of a key.
   *
   * @throws IllegalArgumentException if it is not a valid key
   */
  long first(Prefix prefix, String key) {
    return prefix.first() + lane(key, FIRST);
  }

  /** Returns the second lane of the hash of a key. */
  long second(Prefix prefix, String key) {
    return tagged(prefix, lane(key, SECOND));
  }

  /** Returns the first lane of the hash of a key whose first words have been read. */
  long first(Prefix prefix, String key, long word0, long word1, long word2) {
    return prefix.first() + lane(key, FIRST, word0, word1, word2);
  }

  /** Returns the second lane of the hash of a key whose first words have been read. */
  long second(Prefix prefix, String key, long word0, long word1, long word2) {
    return tagged(prefix, lane(key, SECOND, word0, word1, word2));
  }

  private static long tagged(Prefix prefix, long lane) {
    return (prefix.second() + lane & ~TAG) | (prefix.second() >>> 32 & TAG);
  }

  private long lane(String key, int lane, long word0, long word1, long word2) {
    int length = key.length();
    boolean isShort =
        length <= WORDS_OF_SHORT * NARROW_PER_WORD
            && word0 != NOT_NARROW
            && (length <= NARROW_PER_WORD || word1 != NOT_NARROW)
            && (length <= 2 * NARROW_PER_WORD || word2 != NOT_NARROW);
    int secret = NARROW_KEY + lane;
    return isShort
        ? product(secret, word0)
            + product(secret + SECRETS_PER_WORD, word1)
            + product(secret + 2 * SECRETS_PER_WORD, word2)
        : lane(key, lane);
  }

  private long lane(String key, int lane) {
    int length = key.length();
    long sum = 0;
    long word = length > LimitNames.MAX_LENGTH ? NOT_NARROW : length;
    int secret = NARROW_KEY + lane;
    for (int at = 0; at < length && word != NOT_NARROW; at += NARROW_PER_WORD) {
      word = narrowWord(key, at);
      sum += product(secret, word);
      secret += SECRETS_PER_WORD;
    }
    return word == NOT_NARROW ? sumOfWide(key, KEY + lane) : sum;
  }

  /**
   * Returns the next eight Latin-1 characters, or fewer at the end; {@link #NOT_NARROW} if one of
   * them does not fit or is NUL.
   *
   * <p>Keys are nearly always Latin-1. They are read in two groups of four characters, each with
   * spare bits that reveal a character that does not fit, because reading takes most of the time
   * here.
   */
  private static long narrowWord(String key, int at) {
    int length = key.length();
    if (length < NARROW_PER_WORD) {
      return shortWord(key);
    }
    // The last word begins earlier, and the characters that were already read are shifted out.
    int from = Math.min(at, length - NARROW_PER_WORD);
    long even = everySecond(key, from);
    long odd = everySecond(key, from + 1);
    long word = even | (odd << Byte.SIZE);
    long nul = (word - LOWEST_BITS) & ~word & HIGHEST_BITS;
    return (((even | odd) & ABOVE_LATIN) | nul) != 0
        ? NOT_NARROW
        : word >>> ((at - from) * Byte.SIZE);
  }

  private static long shortWord(String key) {
    long word = 0;
    for (int i = key.length() - 1; i >= 0; i--) {
      char c = key.charAt(i);
      if (c == 0 || c >> Byte.SIZE != 0) {
        return NOT_NARROW;
      }
      word = (word << Byte.SIZE) | c;
    }
    return word;
  }

  /**
   * Returns a lane of a key that is not Latin-1.
   *
   * @throws IllegalArgumentException if it is not a valid key
   */
  private long sumOfWide(String key, int secrets) {
    LimitNames.require("key", key);
    return sum(key, secrets);
  }

  /** Returns a lane of any text, four characters per word. */
  private long sum(String text, int secrets) {
    long sum = 0;
    int secret = secrets;
    for (int at = 0; at < text.length(); at += CHARS_PER_WORD) {
      long word = 0;
      for (int i = Math.min(at + CHARS_PER_WORD, text.length()) - 1; i >= at; i--) {
        word = (word << Character.SIZE) | text.charAt(i);
      }
      sum += product(secret, word);
      secret += SECRETS_PER_WORD;
    }
    return sum;
  }

  /** Returns the upper half of a word times its secret, modulo 2^128. */
  private long product(int secret, long word) {
    return Math.unsignedMultiplyHigh(secrets[secret], word) + secrets[secret + 1] * word;
  }

  private static long everySecond(String text, int at) {
    return text.charAt(at)
        | ((long) text.charAt(at + 2) << 16)
        | ((long) text.charAt(at + 4) << 32)
        | ((long) text.charAt(at + 6) << 48);
  }
}
