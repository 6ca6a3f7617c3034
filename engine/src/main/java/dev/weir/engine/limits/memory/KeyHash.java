package dev.weir.engine.limits.memory;

import dev.weir.engine.limits.LimitNames;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * A keyed hash of 128 bits over kind of limit, policy and key: what a key is known by in memory.
 *
 * <p>It is the multiply-shift of vectors (Dietzfelbinger, 1996) in two lanes. A lane multiplies
 * each word of the text with a secret of 128 bits of its own, keeps the upper half and adds up. The
 * lower halves would carry one at most into the difference of two texts, so whatever two texts
 * somebody picks, they collide in a lane with a probability of 2^-63, in both with 2^-126, over the
 * secrets, which are drawn for each store and never leave it. Nothing is assumed of an attacker but
 * that the values are not seen. Thread-safe.
 *
 * <p>No text contains NUL, so words are filled up with zeros and no length is hashed.
 */
final class KeyHash {
  private static final int NARROW_PER_WORD = 8;
  private static final int CHARS_PER_WORD = 4;

  /** A key of so many words at most is a short one. */
  private static final int WORDS_OF_SHORT = 3;

  /** Each word has a secret of two halves in each of two lanes. */
  private static final int SECRETS_PER_WORD = 4;

  private static final int SECRETS_PER_NARROW_TEXT =
      Math.ceilDiv(LimitNames.LONGEST, NARROW_PER_WORD) * SECRETS_PER_WORD;
  private static final int SECRETS_PER_TEXT =
      Math.ceilDiv(LimitNames.LONGEST, CHARS_PER_WORD) * SECRETS_PER_WORD;

  // Where the secrets of each part begin; those of a lane's halves lie side by side.
  private static final int KIND = 0;
  private static final int POLICY = KIND + SECRETS_PER_WORD;
  private static final int NARROW_KEY = POLICY + SECRETS_PER_TEXT;
  private static final int KEY = NARROW_KEY + SECRETS_PER_NARROW_TEXT;
  private static final int FIRST = 0;
  private static final int SECOND = 2;

  private static final long LOWEST_BITS = 0x0101_0101_0101_0101L;
  private static final long HIGHEST_BITS = 0x8080_8080_8080_8080L;
  private static final long ABOVE_LATIN = 0xFF00_FF00_FF00_FF00L;

  /** What no word of a text is, because texts are not empty and have no NUL. */
  private static final long NOT_NARROW = 0;

  /** So many policies' sums are remembered. */
  private static final int PREFIXES = 256;

  private final long[] secrets = new long[KEY + SECRETS_PER_TEXT];

  // Prefixes are immutable, so a race costs a computation at most.
  private final @Nullable Prefix[] prefixes = new @Nullable Prefix[PREFIXES];

  KeyHash(SecureRandom random) {
    for (int i = 0; i < secrets.length; i++) {
      secrets[i] = random.nextLong();
    }
  }

  /** The sums of a policy, to which those of its keys are added. */
  record Prefix(int kind, String policy, long first, long second) {}

  /** The part of the hash that all keys of a policy have in common. */
  Prefix prefix(int kind, String policy) {
    int place = policy.hashCode() & (PREFIXES - 1);
    Prefix prefix = prefixes[place];
    if (prefix == null || prefix.kind() != kind || !prefix.policy().equals(policy)) {
      prefix =
          new Prefix(
              kind,
              policy,
              product(KIND + FIRST, kind) + sum(policy, POLICY + FIRST),
              product(KIND + SECOND, kind) + sum(policy, POLICY + SECOND));
      prefixes[place] = prefix;
    }
    return prefix;
  }

  /**
   * One of the first three words of a key: 0 beyond its end, and if it has other than Latin
   * characters there.
   *
   * <p>Reading is what takes time, and both lanes need what was read. So who is in a hurry reads
   * the words and hands them to both; a value of two lanes would have to be made wherever the
   * compiler finds this too long to be inlined.
   */
  static long word(String key, int index) {
    int at = index * NARROW_PER_WORD;
    return at < key.length() ? narrowWord(key, at) : 0;
  }

  /** The first lane of the hash of a key. Throws if this can be no key. */
  long first(Prefix prefix, String key) {
    return prefix.first() + lane(key, FIRST);
  }

  /** The second lane. */
  long second(Prefix prefix, String key) {
    return prefix.second() + lane(key, SECOND);
  }

  /** The first lane of the hash of a key whose first words have been read. */
  long first(Prefix prefix, String key, long word0, long word1, long word2) {
    return prefix.first() + lane(key, FIRST, word0, word1, word2);
  }

  /** The second lane of it. */
  long second(Prefix prefix, String key, long word0, long word1, long word2) {
    return prefix.second() + lane(key, SECOND, word0, word1, word2);
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
    long word = length > LimitNames.LONGEST ? NOT_NARROW : length;
    int secret = NARROW_KEY + lane;
    for (int at = 0; at < length && word != NOT_NARROW; at += NARROW_PER_WORD) {
      word = narrowWord(key, at);
      sum += product(secret, word);
      secret += SECRETS_PER_WORD;
    }
    return word == NOT_NARROW ? sumOfWide(key, KEY + lane) : sum;
  }

  /**
   * The next eight Latin characters, or fewer at the end; {@link #NOT_NARROW} if one of them does
   * not fit, or is NUL.
   *
   * <p>Keys are nearly always Latin. They are read in two fours, each with room to see a character
   * that does not fit: reading is what takes time here.
   */
  private static long narrowWord(String key, int at) {
    int length = key.length();
    if (length < NARROW_PER_WORD) {
      return shortWord(key);
    }
    // The last word begins earlier, and what was seen before is shifted out.
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

  /** A lane of a key that is not Latin; throws if it is no key at all. */
  private long sumOfWide(String key, int secrets) {
    LimitNames.require("key", key);
    return sum(key, secrets);
  }

  /** A lane of any text, four characters to a word. */
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

  /** The upper half of a word times its secret, modulo 2^128. */
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
