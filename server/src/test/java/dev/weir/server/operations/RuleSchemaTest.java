package dev.weir.server.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.rules.spec.FieldType;
import dev.weir.rules.spec.RuleField;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The schema of a rule in openapi.yaml has the fields, bounds and defaults of the engine. */
final class RuleSchemaTest {
  private final Map<?, ?> fields;

  RuleSchemaTest() throws IOException {
    fields = at(OpenApiDocument.load().root(), "components", "schemas", "RuleSpec", "properties");
  }

  private static Map<?, ?> at(Map<?, ?> object, String... path) {
    Map<?, ?> found = object;
    for (String name : path) {
      found = (Map<?, ?>) Objects.requireNonNull(found.get(name), name);
    }
    return found;
  }

  @Test
  void hasExactlyTheFieldsThatExist() {
    assertThat(fields.keySet().stream().map(Object::toString))
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(RuleField.values()).map(RuleField::fieldName).toList());
  }

  @Test
  void hasTheirBounds() {
    for (RuleField field : RuleField.values()) {
      Map<?, ?> schema = at(fields, field.fieldName());
      switch (field.type()) {
        case FieldType.Whole whole -> {
          assertThat(schema.get("type")).isEqualTo("integer");
          assertBounds(field, BigDecimal.valueOf(whole.min()), BigDecimal.valueOf(whole.max()));
        }
        case FieldType.Seconds seconds ->
            assertBounds(
                field,
                FieldType.Seconds.of(seconds.minMicros()),
                FieldType.Seconds.of(seconds.maxMicros()));
        case FieldType.Choice choice -> assertThat(schema.get("enum")).isEqualTo(choice.choices());
        case FieldType.Flag flag -> assertThat(schema.get("type")).isEqualTo("boolean");
        case FieldType.Period period -> assertThat(schema.get("format")).isEqualTo("duration");
        case FieldType.Rate rate -> assertThat(schema.get("type")).isEqualTo("number");
        case FieldType.Text text -> assertThat(schema.get("type")).isEqualTo("string");
        case FieldType.Texts texts -> {}
      }
    }
  }

  private void assertBounds(RuleField field, BigDecimal min, BigDecimal max) {
    Map<?, ?> schema = at(fields, field.fieldName());
    assertThat(number(schema.get("minimum"))).as(field.fieldName()).isEqualByComparingTo(min);
    assertThat(number(schema.get("maximum"))).as(field.fieldName()).isEqualByComparingTo(max);
  }

  private static BigDecimal number(Object value) {
    return new BigDecimal(value.toString());
  }

  @Test
  void hasTheirDefaults() {
    for (RuleField field : RuleField.values()) {
      assertThat(at(fields, field.fieldName()).get("default"))
          .as(field.fieldName())
          .isEqualTo(written(field.defaultValue()));
    }
  }

  private static @Nullable Object written(@Nullable Object value) {
    if (value instanceof BigDecimal number) {
      return number.intValueExact();
    }
    if (value instanceof Duration duration) {
      return duration.toString();
    }
    // No methods means all of them.
    return List.of().equals(value) ? null : value;
  }
}
