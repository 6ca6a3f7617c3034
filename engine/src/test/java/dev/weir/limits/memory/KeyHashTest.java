package dev.weir.limits.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.SecureRandom;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KeyHashTest {
  private final KeyHash hash = new KeyHash(new SecureRandom());

  private record Value(long first, long second) {
    static Value of(KeyHash hash, int kind, String policy, String key) {
      KeyHash.Prefix prefix = hash.prefix(kind, policy);
      Value value = new Value(hash.first(prefix, key), hash.second(prefix, key));
      assertThat(byWords(hash, prefix, key)).as(key).isEqualTo(value);
      return value;
    }

    static Value byWords(KeyHash hash, KeyHash.Prefix prefix, String key) {
      long word0 = KeyHash.word(key, 0);
      long word1 = KeyHash.word(key, 1);
      long word2 = KeyHash.word(key, 2);
      return new Value(
          hash.first(prefix, key, word0, word1, word2),
          hash.second(prefix, key, word0, word1, word2));
    }
  }

  private Value of(int kind, String policy, String key) {
    return Value.of(hash, kind, policy, key);
  }

  @Test
  void equalTextsHaveTheSameHash() {
    assertThat(of(1, new String("api"), "user:101"))
        .isEqualTo(of(1, "api", new String("user:101")));
  }

  @Test
  void kindPolicyAndKeyAllCount() {
    Set<Value> values = new HashSet<>();
    for (int kind = 1; kind <= 3; kind++) {
      for (String policy : new String[] {"a", "ab", "abc", "abcd", "abcde"}) {
        for (String key : new String[] {"a", "b", "bc", "bcd", "bcde", "e", "\u0001", "a\u0001"}) {
          assertThat(values.add(of(kind, policy, key))).as(kind + policy + key).isTrue();
        }
      }
    }
  }

  @Test
  void everyCharacterOfEveryLengthCounts() {
    Set<Value> values = new HashSet<>();
    for (int length = 1; length <= 40; length++) {
      String plain = "a".repeat(length);
      assertThat(values.add(of(1, "api", plain))).as(plain).isTrue();
      for (int i = 0; i < length; i++) {
        // The last two have the same lower byte: one fits into a byte, the other does not.
        for (char c : new char[] {'b', '\u0001', 'ÿ', 'A', '\u0141'}) {
          String key = plain.substring(0, i) + c + plain.substring(i + 1);
          assertThat(values.add(of(1, "api", key))).as(key).isTrue();
        }
      }
    }
  }

  @Test
  void nextToEachOtherMeansNothingInEitherHalf() {
    KeyHash.Prefix prefix = hash.prefix(1, "api");
    Set<Long> firsts = new HashSet<>();
    Set<Long> seconds = new HashSet<>();
    int keys = 200_000;
    long flipped = 0;
    long former = 0;
    for (int i = 0; i < keys; i++) {
      long first = hash.first(prefix, "user:" + i);
      firsts.add(first);
      seconds.add(hash.second(prefix, "user:" + i));
      flipped += Long.bitCount(Segment.spread(first) ^ former);
      former = Segment.spread(first);
    }
    assertThat(firsts).hasSize(keys);
    assertThat(seconds).hasSize(keys);
    assertThat((double) flipped / keys).isBetween(31.0, 33.0);
  }

  @Test
  void eachStoreHasItsOwnSecrets() {
    KeyHash other = new KeyHash(new SecureRandom());
    Value others = Value.of(other, 1, "api", "user:101");
    assertThat(others.first()).isNotEqualTo(of(1, "api", "user:101").first());
    assertThat(others.second()).isNotEqualTo(of(1, "api", "user:101").second());
  }

  @Test
  void policiesWithTheSameCacheIndexHaveDifferentHashes() {
    // These two have the same hashCode().
    assertThat("AaBB".hashCode()).isEqualTo("BBAa".hashCode());
    Value one = of(1, "AaBB", "k");
    assertThat(of(1, "BBAa", "k")).isNotEqualTo(one);
    assertThat(of(1, "AaBB", "k")).isEqualTo(one);
  }

  @Test
  void refusesWhatCanBeNoKey() {
    KeyHash.Prefix prefix = hash.prefix(1, "api");
    for (String key :
        new String[] {
          "",
          "x".repeat(256),
          "\0",
          "abc\0",
          "abcd\0e",
          "\0bcdefgh",
          "abcdefg\0",
          "abcdefghi\0",
          "\uD800",
          "abcde\uDC00",
          "abcdefghijk\uDC00"
        }) {
      assertThatThrownBy(() -> hash.first(prefix, key))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("key must");
      assertThatThrownBy(() -> Value.byWords(hash, prefix, key))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("key must");
    }
  }

  @Test
  void takesEveryOtherKey() {
    for (String key : new String[] {"x".repeat(255), "über", "\uFFFF", "日本語のキー", "😀", "abc😀"}) {
      assertThat(of(1, "api", key)).isEqualTo(of(1, "api", new String(key)));
    }
  }
}
