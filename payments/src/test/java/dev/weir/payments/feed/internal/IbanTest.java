package dev.weir.payments.feed.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.Locale;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.AlphaChars;
import net.jqwik.api.constraints.NumericChars;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

final class IbanTest {

  @Test
  void acceptsPublishedExamplesHoweverTheyAreWritten() {
    for (String iban :
        new String[] {
          "DE89370400440532013000",
          "GB29NWBK60161331926819",
          "MT84MALT011000012345MTLCAST001S",
          "NO9386011117947",
          "DE89 3704 0044 0532 0130 00",
          "de89370400440532013000"
        }) {
      assertThat(Iban.isMistyped(iban)).as(iban).isFalse();
    }
  }

  @Test
  void findsTwoDigitsThatChangedPlaces() {
    assertThat(Iban.isMistyped("DE89370400440532013000".replace("3704", "3740"))).isTrue();
    assertThat(Iban.isMistyped("DE89 3704 0044 0532 0130 01")).isTrue();
    assertThat(Iban.isMistyped("de89370400440532013001")).isTrue();
  }

  @Test
  void knowsNothingAboutOtherAccounts() {
    for (String account : new String[] {"", "1", "DE", "DE12345", "12345678901234567890", "AB-1"}) {
      assertThat(Iban.isMistyped(account)).as(account).isFalse();
    }
  }

  @Property
  void agreesWithOneLargeDivision(
      @ForAll @AlphaChars @StringLength(2) String country,
      @ForAll @NumericChars @StringLength(2) String check,
      @ForAll @NumericChars @AlphaChars @StringLength(min = 11, max = 30) String account) {
    String iban = (country + check + account).toUpperCase(Locale.ROOT);
    StringBuilder digits = new StringBuilder();
    for (char letter : (iban.substring(4) + iban.substring(0, 4)).toCharArray()) {
      digits.append(letter >= 'A' ? letter - 'A' + 10 : letter - '0');
    }
    boolean valid =
        new BigInteger(digits.toString()).mod(BigInteger.valueOf(97)).equals(BigInteger.ONE);
    assertThat(Iban.isMistyped(iban)).isEqualTo(!valid);
    assertThat(Iban.isMistyped(Iban.of(iban.substring(0, 2), iban.substring(4)))).isFalse();
  }
}
