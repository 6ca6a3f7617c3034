package dev.weir.server.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Violation;
import dev.weir.http.fields.JsonDocument;
import dev.weir.http.json.Json;
import dev.weir.http.problems.ProblemException;
import dev.weir.limits.LimitStore;
import dev.weir.limits.memory.MemoryLimitStore;
import dev.weir.rules.Rule;
import dev.weir.rules.spec.RefillRate;
import dev.weir.rules.spec.RuleField;
import dev.weir.rules.spec.RuleSpec;
import dev.weir.store.tck.rules.internal.RuleNotationKit;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

final class RuleJsonTest extends RuleNotationKit {
  private static final LimitStore LIMITS = new MemoryLimitStore(1_000);

  @Override
  protected RuleSpec rewritten(RuleSpec spec) {
    Rule rule = new Rule(1, 1, spec, Instant.EPOCH, Instant.EPOCH);
    byte[] bytes =
        Json.bytes(
            json -> {
              json.writeStartObject();
              RuleJson.writeMembers(json, rule);
              json.writeEndObject();
            });
    Map<Object, Object> members =
        new HashMap<>((Map<?, ?>) JsonDocument.read(bytes, 0, bytes.length));
    // These are written only.
    members.keySet().removeAll(List.of("id", "version", "createdAt", "updatedAt"));
    return RuleJson.read(members, LIMITS);
  }

  @Override
  protected Optional<String> refusal(Map<RuleField, Object> values) {
    Map<String, Object> members = new HashMap<>();
    values.forEach((field, value) -> members.put(field.fieldName(), member(value)));
    try {
      RuleJson.read(members, LIMITS);
      return Optional.empty();
    } catch (ProblemException e) {
      List<Violation> errors = e.problem().errors();
      assertThat(errors).hasSize(1);
      return Optional.of(errors.getFirst().field() + " " + errors.getFirst().message());
    }
  }

  private static Object member(Object value) {
    return switch (value) {
      case RefillRate rate -> new BigDecimal(rate.toString());
      case Duration duration -> duration.toString();
      default -> value;
    };
  }
}
