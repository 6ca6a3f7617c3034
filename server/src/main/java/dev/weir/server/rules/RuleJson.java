package dev.weir.server.rules;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.http.fields.Fields;
import dev.weir.http.json.Snippet;
import dev.weir.http.problems.ProblemException;
import dev.weir.limits.LimitStore;
import dev.weir.rules.Rule;
import dev.weir.rules.spec.FieldType;
import dev.weir.rules.spec.InvalidRuleException;
import dev.weir.rules.spec.RefillRate;
import dev.weir.rules.spec.RuleField;
import dev.weir.rules.spec.RuleSource;
import dev.weir.rules.spec.RuleSpec;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads and writes rules as JSON: a member for each {@link RuleField}. */
final class RuleJson {
  private static final Set<RuleField> QUEUE =
      EnumSet.of(RuleField.QUEUE_ENABLED, RuleField.MAX_QUEUE_SIZE, RuleField.DELAY_PER_REQUEST_MS);

  private RuleJson() {}

  /** The members of a JSON object. Those of a wrong type are recorded there. */
  private record Members(Fields fields) implements RuleSource {
    @Override
    public @Nullable Object value(RuleField field) {
      return given(field).orElse(null);
    }

    @Override
    public boolean isUnreadable(RuleField field) {
      return fields.has(field.fieldName());
    }

    private Optional<?> given(RuleField field) {
      String name = field.fieldName();
      return switch (field.type()) {
        case FieldType.Text text -> fields.text(name);
        case FieldType.Choice choice -> fields.text(name);
        // One item may stand without a list.
        case FieldType.Texts texts ->
            field == RuleField.KEY_BY && fields.isText(name)
                ? fields.text(name).map(List::of)
                : fields.texts(name);
        case FieldType.Whole whole -> fields.wholeNumber(name);
        case FieldType.Seconds seconds -> fields.number(name);
        case FieldType.Period period -> fields.duration(name);
        case FieldType.Flag flag -> fields.flag(name);
        case FieldType.Rate rate -> fields.number(name).map(RefillRate.PerSecond::new);
      };
    }
  }

  /**
   * Reads the content of a rule.
   *
   * @param limits the store that counts it
   * @throws ProblemException if it is invalid, naming every invalid field
   */
  static RuleSpec read(Object document, LimitStore limits) {
    Fields fields = Fields.of(document);
    RuleSpec spec = read(fields, new Members(fields));
    if (!spec.isCountedBy(limits)) {
      fields.wrong(
          RuleField.ALGORITHM.fieldName(), "is not counted by the store in weir.limits.store");
      fields.throwIfWrong();
    }
    return spec;
  }

  /**
   * Reads the settings of a queue. Everything else, and what is absent, stays as it is in the rule.
   *
   * @throws ProblemException if they are invalid, naming every invalid field
   */
  static RuleSpec readQueue(Object document, RuleSpec before) {
    Fields fields = Fields.of(document);
    Members members = new Members(fields);
    return read(fields, new QueueChange(members, before.values()));
  }

  /** The values of a rule whose queue is changed. */
  private record QueueChange(Members members, RuleSource before) implements RuleSource {
    @Override
    public @Nullable Object value(RuleField field) {
      Object given = QUEUE.contains(field) ? members.value(field) : null;
      return given != null || isUnreadable(field) ? given : before.value(field);
    }

    @Override
    public boolean isUnreadable(RuleField field) {
      return QUEUE.contains(field) && members.isUnreadable(field);
    }
  }

  private static RuleSpec read(Fields fields, RuleSource source) {
    Optional<RuleSpec> spec = Optional.empty();
    try {
      spec = Optional.of(RuleSpec.read(source));
    } catch (InvalidRuleException e) {
      e.violations()
          .forEach(
              violation ->
                  fields.wrong(
                      violation.field().fieldName(), violation.problem().message(Snippet::of)));
    }
    fields.refuseOthers();
    fields.throwIfWrong();
    return spec.orElseThrow();
  }

  /** Writes a stored rule into an open object. */
  static void writeMembers(JsonGenerator json, Rule rule) throws IOException {
    json.writeNumberField("id", rule.id());
    RuleSource values = rule.spec().values();
    for (RuleField field : RuleField.values()) {
      Object value = values.value(field);
      if (value != null) {
        json.writeFieldName(field.fieldName());
        write(json, field, value);
      }
    }
    json.writeNumberField("version", rule.version());
    json.writeStringField("createdAt", rule.createdAt().toString());
    json.writeStringField("updatedAt", rule.updatedAt().toString());
  }

  private static void write(JsonGenerator json, RuleField field, Object value) throws IOException {
    switch (field.type()) {
      case FieldType.Text text -> json.writeString((String) value);
      case FieldType.Choice choice -> json.writeString((String) value);
      case FieldType.Texts texts -> {
        json.writeStartArray();
        for (Object item : (List<?>) value) {
          json.writeString((String) item);
        }
        json.writeEndArray();
      }
      case FieldType.Whole whole -> write(json, (BigDecimal) value);
      case FieldType.Seconds seconds -> write(json, (BigDecimal) value);
      case FieldType.Period period -> json.writeString(value.toString());
      case FieldType.Flag flag -> json.writeBoolean((boolean) value);
      case FieldType.Rate rate -> write(json, ((RefillRate) value).perSecond());
    }
  }

  private static void write(JsonGenerator json, BigDecimal number) throws IOException {
    json.writeNumber(number.toPlainString());
  }
}
