package dev.weir.store.surrealdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

final class CborTest {
  @Property(tries = 500)
  void whatIsWrittenIsRead(@ForAll("values") Object value) {
    assertThat(CborReader.decode(CborWriter.encode(value))).isEqualTo(value);
  }

  @Property(tries = 100)
  void noCutOffValueIsRead(@ForAll("values") Object value) {
    byte[] bytes = CborWriter.encode(value);
    for (int length = 0; length < bytes.length; length++) {
      assertThat(isRead(Arrays.copyOf(bytes, length))).as("%d bytes", length).isFalse();
    }
  }

  private static boolean isRead(byte[] bytes) {
    try {
      CborReader.decode(bytes);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  @Provide
  Arbitrary<Object> values() {
    Arbitrary<Object> leaves =
        Arbitraries.oneOf(
            Arbitraries.longs().asGeneric(),
            Arbitraries.of(0L, 23L, 24L, 255L, 256L, 65_535L, 65_536L, -1L, -24L, -25L).asGeneric(),
            Arbitraries.of(4_294_967_295L, 4_294_967_296L, Long.MAX_VALUE, Long.MIN_VALUE)
                .asGeneric(),
            Arbitraries.strings().ofMaxLength(300).filter(CborTest::isWellFormed).asGeneric(),
            Arbitraries.of(true, false).asGeneric());
    return Arbitraries.lazyOf(
        () -> leaves,
        () -> leaves,
        () -> leaves.list().ofMaxSize(30).asGeneric(),
        () ->
            Arbitraries.maps(
                    Arbitraries.strings().alpha().ofMaxLength(30), leaves.list().ofMaxSize(3))
                .ofMaxSize(30)
                .asGeneric());
  }

  private static boolean isWellFormed(String text) {
    return text.chars().noneMatch(c -> Character.isSurrogate((char) c));
  }

  /** The examples of RFC 8949, appendix A. */
  @Test
  void numbersAndTextsAreThoseOfTheStandard() {
    Map<String, Object> examples =
        Map.of(
            "00",
            0L,
            "1864",
            100L,
            "1b000000e8d4a51000",
            1_000_000_000_000L,
            "3903e7",
            -1_000L,
            "62c3bc",
            "\u00fc",
            "83010203",
            List.of(1L, 2L, 3L),
            "a0",
            Map.of(),
            "f5",
            true);
    examples.forEach(
        (hex, value) ->
            assertThat(CborWriter.encode(value)).isEqualTo(HexFormat.of().parseHex(hex)));
  }

  @Test
  void nothingAndTaggedValuesAreRead() {
    assertThat(read("c6f6")).as("NONE").isNull();
    assertThat(read("f6")).as("NULL").isNull();
    assertThat(read("ca63302e31")).as("a decimal").isEqualTo("0.1");
    assertThat(read("fb3ff199999999999a")).isEqualTo(1.1);
    assertThat(read("f93c00")).isEqualTo(1.0);
  }

  /** A tag and an array of table and key. */
  @Test
  void recordIdIsWrittenAsSurrealDbReadsIt() {
    assertThat(CborWriter.encode(new RecordId("t", "k")))
        .isEqualTo(HexFormat.of().parseHex("c8826174616b"));
  }

  @Test
  void malformedValuesAreRefused() {
    for (String hex : List.of("9f01ff", "0000", "9b7fffffffffffffff", "1c", "ff", "f8ff")) {
      assertThatThrownBy(() -> read(hex)).as(hex).isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> read("81".repeat(10_000) + "00"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static Object read(String hex) {
    return CborReader.decode(HexFormat.of().parseHex(hex));
  }
}
