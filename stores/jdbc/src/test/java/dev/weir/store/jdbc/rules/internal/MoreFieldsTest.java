package dev.weir.store.jdbc.rules.internal;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.rules.spec.RuleField;
import dev.weir.rules.spec.RuleSpec;
import dev.weir.store.tck.internal.RuleSpecs;
import java.util.EnumMap;
import java.util.Map;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

final class MoreFieldsTest {
  private static final MoreFields LATER = MoreFields.of("later=a%26b%3Dc&name=x");

  /** Any field could be there, so fields of all types can. */
  @Property(tries = 300)
  void keepsValuesOfAllTypes(@ForAll(supplier = RuleSpecs.class) RuleSpec spec) {
    Map<RuleField, Object> values = new EnumMap<>(RuleField.class);
    for (RuleField field : RuleField.values()) {
      Object value = spec.values().value(field);
      if (value != null) {
        values.put(field, value);
      }
    }
    MoreFields read = MoreFields.of(MoreFields.of(values).column());
    values.forEach(
        (field, value) ->
            assertThat(field.type().inOneForm(requireNonNull(read.value(field))))
                .as(field.fieldName())
                .isEqualTo(value));
    assertThat(read.texts()).hasSameSizeAs(values);
  }

  @Example
  void keepsOfAVersionBeforeOnlyWhatThisOneDoesNotKnow() {
    MoreFields own = MoreFields.of(Map.of(RuleField.ACTIVE, true));
    assertThat(own.withUnknownOf(LATER).column()).isEqualTo("active=true&later=a%26b%3Dc");
    assertThat(own.withUnknownOf(LATER).withUnknownOf(LATER)).isEqualTo(own.withUnknownOf(LATER));
  }

  @Example
  void isNothingIfThereAreNoFields() {
    assertThat(MoreFields.of(Map.of()).column()).isNull();
    assertThat(MoreFields.of((String) null)).isEqualTo(MoreFields.of("")).isEqualTo(none());
  }

  private static MoreFields none() {
    return MoreFields.of(Map.of());
  }

  @Example
  void namesAFieldThatCannotBeRead() {
    assertThatThrownBy(() -> MoreFields.of("priority=high").value(RuleField.PRIORITY))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("priority cannot be read: high");
    assertThatThrownBy(() -> MoreFields.of("leaseTtl=long").value(RuleField.LEASE_TTL))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("leaseTtl cannot be read: long");
  }
}
