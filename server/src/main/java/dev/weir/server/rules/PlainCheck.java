package dev.weir.server.rules;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.weir.http.json.Json;
import dev.weir.internal.LimitNames;
import dev.weir.rules.LimitedRule;
import dev.weir.rules.RuleCheck;
import dev.weir.rules.RuleIndex;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the plain form of a check, one rule and one key, without building maps. Any other form is
 * left to {@link CheckRequest#read}, which reports violations.
 */
final class PlainCheck {
  private PlainCheck() {}

  /** Returns the check, or null if it is not plain. */
  static @Nullable CheckRequest read(byte[] body, RuleIndex index) {
    @Nullable String rule = null;
    @Nullable String key = null;
    @Nullable String requestId = null;
    long cost = 0;
    try (JsonParser json = Json.parser(body)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        return null;
      }
      for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
        JsonToken value = json.nextToken();
        // A field that occurs twice has a value already.
        if (name.equals("rule") && value == JsonToken.VALUE_STRING && rule == null) {
          rule = json.getText();
        } else if (name.equals("key") && value == JsonToken.VALUE_STRING && key == null) {
          key = json.getText();
        } else if (name.equals("requestId")
            && value == JsonToken.VALUE_STRING
            && requestId == null) {
          requestId = json.getText();
          if (LimitNames.problem(requestId).isPresent()) {
            return null;
          }
        } else if (name.equals("cost") && value == JsonToken.VALUE_NUMBER_INT && cost == 0) {
          cost = json.getLongValue();
          if (cost < 1) {
            return null;
          }
        } else {
          return null;
        }
      }
      if (json.currentToken() != JsonToken.END_OBJECT || json.nextToken() != null) {
        return null;
      }
    } catch (IOException e) {
      return null;
    }
    if (rule == null || key == null || LimitNames.problem(key).isPresent()) {
      return null;
    }
    LimitedRule known = index.find(rule);
    long units = Math.max(1, cost);
    return known == null || units > known.maxCost()
        ? null
        : new CheckRequest(
            List.of(new RuleCheck(known, key, units)),
            false,
            requestId == null ? "" : requestId,
            false);
  }
}
