package dev.weir.server.rules;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.engine.rules.Coverage;
import dev.weir.engine.rules.KeyPart;
import dev.weir.engine.rules.PathPattern;
import dev.weir.server.http.Fields;
import dev.weir.server.http.Snippet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Reads and writes the requests that a rule covers and the key that it counts them by. */
final class CoverageJson {
  private static final String PATH = "pathPattern";
  private static final String METHODS = "methods";
  private static final String KEY_BY = "keyBy";

  private CoverageJson() {}

  /** Reads the coverage from the fields of a rule, and records violations there. */
  static Coverage read(Fields fields) {
    Optional<PathPattern> path = fields.text(PATH).flatMap(text -> pattern(fields, text));
    Set<String> methods = methods(fields);
    List<KeyPart> keyBy = keyBy(fields);
    return new Coverage(path, methods, keyBy);
  }

  private static Optional<PathPattern> pattern(Fields fields, String text) {
    try {
      return Optional.of(PathPattern.of(text));
    } catch (IllegalArgumentException e) {
      fields.wrong(PATH, String.valueOf(e.getMessage()));
      return Optional.empty();
    }
  }

  private static Set<String> methods(Fields fields) {
    Set<String> methods = new TreeSet<>();
    for (String method : fields.texts(METHODS, 1, Coverage.MAX_METHODS).orElse(List.of())) {
      if (method.matches("[A-Z]{1,20}")) {
        methods.add(method);
      } else {
        fields.wrong(METHODS, "must be methods such as GET, not " + Snippet.of(method));
        return Set.of();
      }
    }
    return methods;
  }

  /** Reads one key part or a list of them. */
  private static List<KeyPart> keyBy(Fields fields) {
    List<String> texts =
        fields.isText(KEY_BY)
            ? fields.text(KEY_BY).stream().toList()
            : fields.texts(KEY_BY, 1, Coverage.MAX_KEY_PARTS).orElse(List.of());
    List<KeyPart> parts = new ArrayList<>();
    for (String text : texts) {
      try {
        KeyPart part = KeyPart.of(text);
        if (parts.contains(part)) {
          fields.wrong(KEY_BY, "names " + Snippet.of(text) + " twice");
        } else {
          parts.add(part);
        }
      } catch (IllegalArgumentException e) {
        fields.wrong(KEY_BY, "must be ip, path, global or header:Name, not " + Snippet.of(text));
      }
    }
    return parts.isEmpty() ? Coverage.BY_NAME.keyBy() : parts;
  }

  static void write(JsonGenerator json, Coverage coverage) throws IOException {
    if (coverage.path().isPresent()) {
      json.writeStringField(PATH, coverage.path().get().text());
    }
    json.writeArrayFieldStart(METHODS);
    for (String method : coverage.methods()) {
      json.writeString(method);
    }
    json.writeEndArray();
    json.writeArrayFieldStart(KEY_BY);
    for (KeyPart part : coverage.keyBy()) {
      json.writeString(part.text());
    }
    json.writeEndArray();
  }
}
