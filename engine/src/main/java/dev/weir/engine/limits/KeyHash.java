package dev.weir.engine.limits;

import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * A keyed hash of 128 bits over kind of limit, policy and key: what a key is known by in memory.
 *
 * <p>It is the multiply-shift of vectors (Dietzfelbinger, 1996) in two lanes. A lane multiplies
 * each word of the text with a secret of 128 bits of its own, adds up modulo 2^128 and keeps the
 * upper half. Whatever two texts somebody picks, they collide in a lane with a probability of
 * 2^-64, in both with 2^-128, over the secrets, which are drawn for each store and never leave it.
 * Nothing is assumed of an attacker but that the values are not seen. Thread-safe.
 *
 * <p>The lanes are asked for one by one, because a method that returned both would have to make an
 * object of them.
 */
final class KeyHash {
  private static final int CHARS_PER_WORD = 4;

  /** Each word has a secret of two halves. */
  private static final int SECRETS_PER_WORD = 2;

  /** The words of a text, and one for its length. */
  private static final int SECRETS_PER_TEXT =
      (Math.ceilDiv(LimitNames.LONGEST, CHARS_PER_WORD) + 1) * SECRETS_PER_WORD;

  private static final int FIRST_OF_POLICY = 0;
  private static final int SECOND_OF_POLICY = SECRETS_PER_TEXT;
  private static final int FIRST_OF_KEY = 2 * SECRETS_PER_TEXT;
  private static final int SECOND_OF_KEY = 3 * SECRETS_PER_TEXT;

  /** Fills the last word of a text. The length is hashed, too, so it is taken for no character. */
  private static final long PADDING = 0x0001_0001_0001_0001L;

  private static final long LOWEST_BITS = 0x0001_0001_0001_0001L;
  private static final long HIGHEST_BITS = 0x8000_8000_8000_8000L;

  /** So many policies' sums are remembered. */
  private static final int PREFIXES = 256;

  private final long[] secrets = new long[4 * SECRETS_PER_TEXT];

  // Prefixes are immutable, so a race costs a computation at most.
  private final @Nullable Prefix[] prefixes = new @Nullable Prefix[PREFIXES];

  KeyHash(SecureRandom random) {
    for (int i = 0; i < secrets.length; i++) {
      secrets[i] = random.nextLong();
    }
  }

  /** The sums of a policy, to which those of its keys are added. */
  record Prefix(
      int kind, String policy, long firstHigh, long firstLow, long secondHigh, long secondLow) {}

  /** The part of the hash that all keys of a policy have in common. */
  Prefix prefix(int kind, String policy) {
    int place = policy.hashCode() & (PREFIXES - 1);
    Prefix prefix = prefixes[place];
    if (prefix == null || prefix.kind() != kind || !prefix.policy().equals(policy)) {
      prefix = summed(kind, policy);
      prefixes[place] = prefix;
    }
    return prefix;
  }

  private Prefix summed(int kind, String policy) {
    long tag = ((long) kind << Integer.SIZE) | policy.length();
    return new Prefix(
        kind,
        policy,
        high(policy, tag, FIRST_OF_POLICY, 0, 0),
        low(policy, tag, FIRST_OF_POLICY),
        high(policy, tag, SECOND_OF_POLICY, 0, 0),
        low(policy, tag, SECOND_OF_POLICY));
  }

  /** The first half of a key's hash. Throws if this can be no key. */
  long first(Prefix prefix, String key) {
    int length = key.length();
    if (length == 0 || length > LimitNames.LONGEST) {
      LimitNames.require("key", key);
    }
    return high(key, length, FIRST_OF_KEY, prefix.firstHigh(), prefix.firstLow());
  }

  /** The second half of the hash of a key whose first half is known. */
  long second(Prefix prefix, String key) {
    return high(key, key.length(), SECOND_OF_KEY, prefix.secondHigh(), prefix.secondLow());
  }

  /** The upper half of the sum of what is given, a tag and a text. */
  private long high(String text, long tag, int secrets, long high, long low) {
    long[] secret = this.secrets;
    int length = text.length();
    long product = secret[secrets] * tag;
    long lowSum = low + product;
    long highSum =
        high
            + secret[secrets + 1] * tag
            + Math.unsignedMultiplyHigh(secret[secrets], tag)
            + carry(lowSum, product);
    long unusual = 0;
    int next = secrets;
    for (int at = 0; at < length; at += CHARS_PER_WORD) {
      long word = word(text, at, length);
      unusual |= ((word - LOWEST_BITS) & ~word) | word;
      next += SECRETS_PER_WORD;
      product = secret[next] * word;
      lowSum += product;
      highSum +=
          secret[next + 1] * word
              + Math.unsignedMultiplyHigh(secret[next], word)
              + carry(lowSum, product);
    }
    if ((unusual & HIGHEST_BITS) != 0) {
      // A character is NUL, or a surrogate, or merely far up: look more closely.
      LimitNames.require("key", text);
    }
    return highSum;
  }

  private long low(String text, long tag, int secrets) {
    int length = text.length();
    int next = secrets;
    long sum = this.secrets[next] * tag;
    for (int at = 0; at < length; at += CHARS_PER_WORD) {
      next += SECRETS_PER_WORD;
      sum += this.secrets[next] * word(text, at, length);
    }
    return sum;
  }

  private static long carry(long sum, long added) {
    return Long.compareUnsigned(sum, added) < 0 ? 1 : 0;
  }

  private static long word(String text, int at, int length) {
    if (at + CHARS_PER_WORD <= length) {
      return text.charAt(at)
          | ((long) text.charAt(at + 1) << 16)
          | ((long) text.charAt(at + 2) << 32)
          | ((long) text.charAt(at + 3) << 48);
    }
    long word = PADDING;
    for (int i = length - 1; i >= at; i--) {
      word = (word << 16) | text.charAt(i);
    }
    return word;
  }
}
