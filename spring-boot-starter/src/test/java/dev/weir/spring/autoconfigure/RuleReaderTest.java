package dev.weir.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.OnStoreFailure;
import dev.weir.rules.spec.RuleField;
import dev.weir.rules.spec.RuleSource;
import dev.weir.rules.spec.RuleSpec;
import dev.weir.spring.RuleProperties;
import dev.weir.store.tck.rules.internal.RuleNotationKit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

final class RuleReaderTest extends RuleNotationKit {
  private static final String PLACE = "weir.rules[0]";

  /** A service has no second store, and methods are those of requests to a path. */
  @Override
  protected boolean isAllowed(RuleSpec spec) {
    return spec.onStoreFailure() != OnStoreFailure.FALLBACK
        && (spec.coverage().path().isPresent() || spec.coverage().methods().isEmpty());
  }

  @Override
  protected RuleSpec rewritten(RuleSpec spec) {
    return read(spec.values());
  }

  @Override
  protected Optional<String> refusal(Map<RuleField, Object> values) {
    try {
      read(values::get);
      return Optional.empty();
    } catch (InvalidConfigurationPropertyValueException e) {
      RuleField wrong =
          List.of(RuleField.values()).stream()
              .filter(field -> e.getName().equals(PLACE + "." + RuleReader.property(field)))
              .findFirst()
              .orElseThrow();
      assertThat(e.getReason()).startsWith("It ").endsWith(".");
      String message = e.getReason().substring("It ".length(), e.getReason().length() - 1);
      return Optional.of(wrong.fieldName() + " " + message);
    }
  }

  private static RuleSpec read(RuleSource values) {
    Map<String, String> properties = new HashMap<>();
    for (RuleField field : RuleField.values()) {
      String name = PLACE + "." + RuleReader.property(field);
      Object value = values.value(field);
      if (value instanceof List<?> items) {
        for (int i = 0; i < items.size(); i++) {
          properties.put(name + "[" + i + "]", items.get(i).toString());
        }
      } else if (value != null) {
        properties.put(name, value.toString());
      }
    }
    RuleProperties rule =
        new Binder(new MapConfigurationPropertySource(properties))
            .bind(PLACE, RuleProperties.class)
            .get();
    return RuleReader.read(PLACE, rule);
  }
}
