package dev.weir.notifications;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

final class MessagePartsTest {
  private static final String EXTENDED = "^{}\\[~]|€\f";

  @Example
  void singleMessageHas160SeptetsOr70Units() {
    assertThat(MessageParts.of("a".repeat(160)).count()).isEqualTo(1);
    assertThat(MessageParts.of("a".repeat(161)).count()).isEqualTo(2);
    assertThat(MessageParts.of("ч".repeat(70)).count()).isEqualTo(1);
    assertThat(MessageParts.of("ч".repeat(71)).count()).isEqualTo(2);
  }

  @Example
  void laterPartsHave153SeptetsOr67Units() {
    assertThat(MessageParts.of("a".repeat(306)).count()).isEqualTo(2);
    assertThat(MessageParts.of("a".repeat(307)).count()).isEqualTo(3);
    assertThat(MessageParts.of("ч".repeat(134)).count()).isEqualTo(2);
    assertThat(MessageParts.of("ч".repeat(135)).count()).isEqualTo(3);
  }

  @Example
  void charactersOfTheExtensionTakeTwoSeptets() {
    assertThat(MessageParts.of("€".repeat(80)).count()).isEqualTo(1);
    assertThat(MessageParts.of("€".repeat(81)).count()).isEqualTo(2);
    // 76 of them fill 152 septets of a part; half of the next does not fit.
    assertThat(MessageParts.of("€".repeat(81)).texts().getFirst()).hasSize(76);
  }

  @Example
  void encodesTheAlphabet() {
    assertThat(MessageParts.of("@£ a€à").content(0))
        .containsExactly(0x00, 0x01, 0x20, 0x61, 0x1B, 0x65, 0x7F);
    assertThat(MessageParts.of("a😀").content(0))
        .isEqualTo("a😀".getBytes(StandardCharsets.UTF_16BE));
  }

  @Example
  void oneForeignCharacterMakesItUcs2() {
    assertThat(MessageParts.of("price: 5 ₽").encoding()).isEqualTo(MessageParts.Encoding.UCS_2);
    assertThat(MessageParts.of("price: 5 €").encoding()).isEqualTo(MessageParts.Encoding.GSM_7BIT);
  }

  @Example
  void refusesWhatNeedsMoreThan255Parts() {
    assertThat(MessageParts.of("a".repeat(255 * 153)).count()).isEqualTo(255);
    assertThatThrownBy(() -> MessageParts.of("a".repeat(255 * 153 + 1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("255 parts");
  }

  @Example
  void refusesBlankTexts() {
    for (String blank : new String[] {"", " ", "\n\t"}) {
      assertThatThrownBy(() -> MessageParts.of(blank))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("blank");
    }
  }

  /** By the definition: parts in order are the text, each fits, and none could take more. */
  @Property(tries = 1_000)
  void partsAreTheTextAndEachIsFull(@ForAll("texts") String text) {
    MessageParts parts = MessageParts.of(text);
    boolean isGsm = parts.encoding() == MessageParts.Encoding.GSM_7BIT;
    int max = parts.count() == 1 ? isGsm ? 160 : 70 : isGsm ? 153 : 67;
    assertThat(String.join("", parts.texts())).isEqualTo(text);
    for (int i = 0; i < parts.count(); i++) {
      String part = parts.texts().get(i);
      assertThat(units(part, isGsm)).isLessThanOrEqualTo(max);
      assertThat(parts.content(i)).hasSize(units(part, isGsm) * (isGsm ? 1 : 2));
      if (i + 1 < parts.count()) {
        String next = parts.texts().get(i + 1);
        String first = next.substring(0, next.offsetByCodePoints(0, 1));
        assertThat(units(part + first, isGsm)).isGreaterThan(max);
        assertThat(Character.isHighSurrogate(part.charAt(part.length() - 1))).isFalse();
      }
    }
  }

  private static int units(String text, boolean isGsm) {
    return text.chars().map(c -> isGsm && EXTENDED.indexOf(c) >= 0 ? 2 : 1).sum();
  }

  @Provide
  Arbitrary<String> texts() {
    Arbitrary<String> gsm =
        Arbitraries.of("a", "Z", " ", "@", "é", "Ω", "€", "{", "|", "\n")
            .list()
            .ofMaxSize(500)
            .map(list -> String.join("", list));
    Arbitrary<String> any =
        Arbitraries.of("a", "ч", "😀", "€", "漢", "👍")
            .list()
            .ofMaxSize(300)
            .map(list -> String.join("", list));
    return Arbitraries.oneOf(gsm, any).filter(text -> !text.isBlank());
  }
}
