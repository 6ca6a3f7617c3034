package dev.weir.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

final class UnicodeTextTest {
  @Property
  void validTextCanBeWrittenInUtf8(@ForAll("texts") String text) {
    assertThat(UnicodeText.isValid(text))
        .isEqualTo(StandardCharsets.UTF_8.newEncoder().canEncode(text));
  }

  @Provide
  Arbitrary<String> texts() {
    return Arbitraries.strings()
        .withChars('a', '\u0000', '\u00FC', '\uD83D', '\uDE00', '\uDFFF', '\uE000')
        .ofMaxLength(6);
  }
}
