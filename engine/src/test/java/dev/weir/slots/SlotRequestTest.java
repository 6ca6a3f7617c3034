package dev.weir.slots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

final class SlotRequestTest {
  private static final Instant NOON = Instant.parse("2026-06-01T12:00:00Z");

  @Test
  void namesTheFieldThatIsWrong() {
    assertThatThrownBy(() -> SlotRequest.now(" ", "default"))
        .hasMessage("eventId must not be empty");
    assertThatThrownBy(() -> SlotRequest.now("x".repeat(257), "default"))
        .hasMessage("eventId must be at most 256 characters, not 257");
    assertThatThrownBy(() -> SlotRequest.now("a", "")).hasMessage("configName must not be empty");
    assertThatThrownBy(() -> SlotRequest.now("a", "c".repeat(101)))
        .hasMessage("configName must be at most 100 characters, not 101");
    assertThatThrownBy(() -> new SlotRequest("a", "default", Instant.MAX))
        .hasMessageStartingWith("requestedTime must be a time");
  }

  @Test
  void refusesIdsThatNoStoreKeeps() {
    for (String id : List.of("a\0b", "\uD83D", "\uDE80\uD83D", "a\uD83Db")) {
      assertThatThrownBy(() -> SlotRequest.now(id, "default"))
          .hasMessage("eventId must be Unicode text without the character NUL");
    }
  }

  @Test
  void refusesNamesThatNeedQuoting() {
    for (String name : List.of("-a", ".a", "a b", "a/b", "ä", "a\n", "*")) {
      assertThatThrownBy(() -> SlotRequest.now("a", name))
          .hasMessageStartingWith("configName must be letters");
    }
    assertThat(SlotRequest.now("a", "Payments.eu-1:a_b").configName())
        .isEqualTo("Payments.eu-1:a_b");
  }

  @Test
  void takesTheEndsOfTime() {
    for (String time : List.of("0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z")) {
      assertThat(new SlotRequest("a", "default", Instant.parse(time)).requestedTime().orElseThrow())
          .isEqualTo(time);
    }
    for (String time : List.of("0000-12-31T23:59:59.999999999Z", "+10000-01-01T00:00:00Z")) {
      assertThatThrownBy(() -> new SlotRequest("a", "default", Instant.parse(time)))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Property(tries = 1_000)
  void cursorsAreInTheOrderOfCodePoints(@ForAll String one, @ForAll String other) {
    Comparator<String> byCodePoints =
        (a, b) -> Arrays.compare(a.codePoints().toArray(), b.codePoints().toArray());
    String left = one.replaceAll("[\uD800-\uDFFF]", "");
    String right = other.replaceAll("[\uD800-\uDFFF]", "") + "\uD83D\uDE80";

    for (String[] pair : new String[][] {{left, right}, {right, left + "\uFFFD"}}) {
      int actual =
          new SlotQuery.Cursor(NOON, pair[0]).compareTo(new SlotQuery.Cursor(NOON, pair[1]));
      assertThat(Integer.signum(actual))
          .isEqualTo(Integer.signum(byCodePoints.compare(pair[0], pair[1])));
    }
  }
}
