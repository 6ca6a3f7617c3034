package dev.weir.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.Policy;
import dev.weir.limits.SlidingWindow;
import dev.weir.limits.TokenBucket;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

/** Names are unique, and keys that belong together are in one slot. */
final class KeyNamesTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final List<Limit> KINDS =
      List.of(FixedWindow.of(1, MINUTE), SlidingWindow.of(1, MINUTE), TokenBucket.of(1, MINUTE));

  /** All texts of the characters that have a meaning in a name. */
  private static final List<String> NASTY = words("{}:;%a", 3);

  private final KeyNames names = new KeyNames("weir");

  @Test
  void noTwoUsagesHaveTheSameName() {
    Map<String, List<String>> owners = new HashMap<>();
    List<String> policies = words("{}:;%a", 2);
    for (Limit limit : KINDS) {
      for (String policy : policies) {
        for (String key : NASTY) {
          List<String> owner = List.of(limit.getClass().getSimpleName(), policy, key);
          List<String> other = owners.put(names.usage(Policy.of(policy, limit), key), owner);
          assertThat(other).as("%s is called as %s", owner, other).isNull();
        }
      }
    }
    for (String resource : NASTY) {
      assertThat(owners.put(names.leases(resource), List.of(resource))).isNull();
      assertThat(owners.put(names.places(resource), List.of(resource))).isNull();
    }
    assertThat(owners).hasSize((KINDS.size() * policies.size() + 2) * NASTY.size());
  }

  @Test
  void noTwoRecordsHaveTheSameName() {
    Map<String, String> owners = new HashMap<>();
    for (String key : NASTY) {
      String tag = KeyNames.tagOf(names.leases(key));
      for (String id : words("{}:a", 2)) {
        String owner = tag + " " + id;
        String other = owners.put(names.record(tag, id), owner);
        assertThat(other).isIn(null, owner);
      }
    }
  }

  @Property(tries = 1_000)
  void allOfOneKeyLiesInOneSlot(
      @ForAll
          @StringLength(min = 1, max = 8)
          @Chars({'{', '}', ':'})
          @CharRange(from = 'a', to = 'c')
          String key,
      @ForAll
          @StringLength(min = 1, max = 8)
          @Chars({'{', '}', ':'})
          @CharRange(from = 'a', to = 'c')
          String policy) {
    String one = names.usage(Policy.of(policy, KINDS.getFirst()), key);
    String other = names.usage(Policy.of("x", KINDS.getLast()), key);
    assertThat(slot(other)).isEqualTo(slot(one));
    assertThat(slot(names.record(KeyNames.tagOf(one), policy))).isEqualTo(slot(one));
    assertThat(slot(names.places(key))).isEqualTo(slot(names.leases(key)));
  }

  @Test
  void tagOfTheCallerIsTaken() {
    Policy policy = Policy.of("api", KINDS.getFirst());
    assertThat(KeyNames.tagOf(names.usage(policy, "user:{org7}:101"))).isEqualTo("org7");
    assertThat(KeyNames.tagOf(names.usage(policy, "{org7}"))).isEqualTo("org7");
    assertThat(KeyNames.tagOf(names.usage(policy, "user:101"))).isEqualTo("user:101");
  }

  private static int slot(String name) {
    return SlotHash.getSlot(KeyNames.bytes(name));
  }

  /** Returns all texts of these characters up to a length. */
  private static List<String> words(String characters, int maxLength) {
    List<String> words = new ArrayList<>();
    List<String> last = List.of("");
    for (int length = 1; length <= maxLength; length++) {
      List<String> longer = new ArrayList<>();
      for (String word : last) {
        characters.chars().forEach(c -> longer.add(word + (char) c));
      }
      words.addAll(longer);
      last = longer;
    }
    return words;
  }
}
