package dev.weir.feeds.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

final class CsvRecordTest {

  @Test
  void splitsAtCommas() throws Exception {
    assertThat(CsvRecord.parse("a,b,c").fields()).containsExactly("a", "b", "c");
  }

  @Test
  void keepsEmptyFieldsAndSpaces() throws Exception {
    assertThat(CsvRecord.parse(", a ,").fields()).containsExactly("", " a ", "");
    assertThat(CsvRecord.parse("").fields()).containsExactly("");
    assertThat(CsvRecord.parse("\"\"").fields()).containsExactly("");
  }

  @Test
  void unwrapsQuotes() throws Exception {
    assertThat(CsvRecord.parse("\"a,b\",\"say \"\"hi\"\"\",\"two\r\nlines\",\"\"\"\"").fields())
        .containsExactly("a,b", "say \"hi\"", "two\r\nlines", "\"");
  }

  @Test
  void refusesQuotesThatDoNotEncloseTheField() {
    assertThatThrownBy(() -> CsvRecord.parse("a,b\"c"))
        .isInstanceOf(CsvRecord.MalformedException.class)
        .hasMessageContaining("field 2");
    assertThatThrownBy(() -> CsvRecord.parse("\"a\"b,c"))
        .hasMessageContaining("field 1 goes on after its closing quote");
    assertThatThrownBy(() -> CsvRecord.parse("a,\"b")).hasMessageContaining("never closed");
    assertThatThrownBy(() -> CsvRecord.parse("\"\"\"")).hasMessageContaining("never closed");
  }

  @Test
  void refusesCarriageReturnsOutsideQuotes() {
    for (String text : List.of("a\rb,c", "\ra", "a\r", "\"a\"\r", "a,\r")) {
      assertThatThrownBy(() -> CsvRecord.parse(text))
          .isInstanceOf(CsvRecord.MalformedException.class)
          .hasMessage("has a carriage return outside quotes");
    }
  }

  @Property
  void readsBackWhatWasWritten(
      @ForAll("tables") List<List<String>> table, @ForAll boolean carriageReturns)
      throws Exception {
    String lineEnd = carriageReturns ? "\r\n" : "\n";
    String text = table.stream().map(CsvRecordTest::written).collect(Collectors.joining(lineEnd));

    assertThat(read(text)).isEqualTo(table);
    assertThat(read(text + lineEnd)).isEqualTo(table);
  }

  @Provide
  Arbitrary<List<List<String>>> tables() {
    Arbitrary<String> field = Arbitraries.strings().withChars("ab,\"\r\n ü€").ofMaxLength(6);
    return Arbitraries.integers()
        .between(1, 4)
        .flatMap(columns -> field.list().ofSize(columns).list().ofMinSize(1).ofMaxSize(6));
  }

  private static List<List<String>> read(String text)
      throws IOException, CsvRecord.MalformedException {
    RecordReader reader =
        new RecordReader(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), true);
    List<List<String>> table = new ArrayList<>();
    for (RecordReader.Cut cut = reader.next(); cut != null; cut = reader.next()) {
      assertThat(cut.flaw()).isNull();
      table.add(CsvRecord.parse(cut.text()).fields());
    }
    assertThat(reader.consumedBytes()).isEqualTo(text.getBytes(StandardCharsets.UTF_8).length);
    return table;
  }

  /** Quotes only where it must, and for the empty field, which alone would be no record at all. */
  private static String written(List<String> fields) {
    return fields.stream()
        .map(
            field ->
                field.isEmpty() || field.chars().anyMatch(letter -> ",\"\r\n".indexOf(letter) >= 0)
                    ? "\"" + field.replace("\"", "\"\"") + "\""
                    : field)
        .collect(Collectors.joining(","));
  }
}
