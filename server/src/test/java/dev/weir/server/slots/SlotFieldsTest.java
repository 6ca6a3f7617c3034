package dev.weir.server.slots;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.fields.Fields;
import dev.weir.internal.SlotNames;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Text that no store can keep is refused with a helpful message. */
final class SlotFieldsTest {
  @Test
  void namesOfConfigurationsThatCannotBeAreWrongFields() {
    for (String name : List.of("", "bank api", "\0", "-x", "a".repeat(101))) {
      Fields fields = Fields.of(Map.of("configName", name));
      assertThat(fields.text("configName", "default", SlotNames::configNameProblem))
          .isEqualTo(name);
      assertThat(fields.isWrong("configName")).as(name).isTrue();
    }
    assertThat(Fields.of(Map.of()).text("configName", "default", SlotNames::configNameProblem))
        .isEqualTo("default");
  }

  @Test
  void forgedCursorsAreInvalidFields() {
    for (String text : List.of("", "1", "1:", ":a", "x:a", "1:\0")) {
      Fields query = Fields.of(Map.of());
      CursorText.read(
          query, Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8)));
      assertThat(query.isWrong("cursor")).as(text).isTrue();
    }
  }
}
