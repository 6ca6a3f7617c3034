package dev.weir.server.operations;

import dev.weir.http.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The OpenAPI document as the tests read it: operations, and examples that belong together. */
record OpenApiDocument(Map<Object, Object> root) {

  static OpenApiDocument load() throws IOException {
    LoaderOptions strict = new LoaderOptions();
    strict.setAllowDuplicateKeys(false);
    try (InputStream in = OpenApiDocument.class.getResourceAsStream("/openapi.yaml")) {
      return new OpenApiDocument(
          new Yaml(new SafeConstructor(strict)).load(Objects.requireNonNull(in)));
    }
  }

  /** A method of a path. */
  record Operation(
      String method, String path, Map<Object, Object> node, List<Map<Object, Object>> parameters) {
    @Override
    public String toString() {
      return method + " " + path;
    }

    boolean isGuarded() {
      return node.containsKey("security");
    }

    /** Whether there is only one way to ask it. */
    boolean takesNothing() {
      return parameters.isEmpty() && !node.containsKey("requestBody");
    }

    /** The first content type of its body; empty if it has none. */
    Optional<String> bodyType() {
      return contents(map(node.getOrDefault("requestBody", Map.of()))).keySet().stream()
          .findFirst();
    }

    String firstStatus() {
      return (String) map(node.get("responses")).keySet().iterator().next();
    }
  }

  /** A request and the answer that the document promises to it. */
  record Exchange(
      Operation operation,
      String name,
      Map<String, String> parameters,
      Optional<Content> body,
      int status,
      Content answer,
      Map<Object, Object> schema) {
    @Override
    public String toString() {
      return operation + ", example " + name + ", " + status;
    }
  }

  /** A value under its content type. */
  record Content(String type, Object value) {}

  List<Operation> operations() {
    List<Operation> operations = new ArrayList<>();
    map(root.get("paths"))
        .forEach(
            (path, item) ->
                map(item)
                    .forEach(
                        (method, node) -> {
                          if (!method.equals("parameters")) {
                            List<Map<Object, Object>> parameters = new ArrayList<>();
                            parameters.addAll(parameters(map(item)));
                            parameters.addAll(parameters(map(node)));
                            operations.add(
                                new Operation(
                                    ((String) method).toUpperCase(Locale.ROOT),
                                    (String) path,
                                    map(node),
                                    parameters));
                          }
                        }));
    return operations;
  }

  /** All examples that can be asked for, in the order of the document. */
  List<Exchange> exchanges() {
    List<Exchange> exchanges = new ArrayList<>();
    for (Operation operation : operations()) {
      map(operation.node().get("responses"))
          .forEach(
              (status, response) ->
                  contents(resolve(response))
                      .forEach(
                          (type, media) ->
                              map(media.getOrDefault("examples", Map.of()))
                                  .forEach(
                                      (name, example) ->
                                          exchange(
                                                  operation,
                                                  (String) status,
                                                  (String) name,
                                                  new Content(type, map(example).get("value")),
                                                  map(media.get("schema")))
                                              .ifPresent(exchanges::add))));
    }
    return exchanges;
  }

  private Optional<Exchange> exchange(
      Operation operation, String status, String name, Content answer, Map<Object, Object> schema) {
    Map<String, String> parameters = new LinkedHashMap<>();
    for (Map<Object, Object> parameter : operation.parameters()) {
      Map<Object, Object> examples = map(parameter.getOrDefault("examples", Map.of()));
      if (examples.containsKey(name)) {
        parameters.put(
            (String) parameter.get("name"), map(examples.get(name)).get("value").toString());
      }
    }
    Optional<Content> body = requestExample(operation, name, answer.type());
    boolean onlyWay = operation.takesNothing() && status.equals(operation.firstStatus());
    return onlyWay || !parameters.isEmpty() || body.isPresent()
        ? Optional.of(
            new Exchange(
                operation, name, parameters, body, Integer.parseInt(status), answer, schema))
        : Optional.empty();
  }

  /** The example of that name, of the content type of the answer if there are several. */
  private Optional<Content> requestExample(Operation operation, String name, String answerType) {
    Map<String, Content> found = new LinkedHashMap<>();
    contents(map(operation.node().getOrDefault("requestBody", Map.of())))
        .forEach(
            (type, media) -> {
              Map<Object, Object> examples = map(media.getOrDefault("examples", Map.of()));
              if (examples.containsKey(name)) {
                found.put(type, new Content(type, map(examples.get(name)).get("value")));
              }
            });
    return Optional.ofNullable(found.get(answerType)).or(() -> found.values().stream().findFirst());
  }

  /** How many examples of bodies there are. */
  long bodyExamples() {
    return operations().stream()
        .flatMap(
            operation ->
                contents(map(operation.node().getOrDefault("requestBody", Map.of())))
                    .values()
                    .stream())
        .mapToLong(media -> map(media.getOrDefault("examples", Map.of())).size())
        .sum();
  }

  /** What is wrong with a value under a schema; empty if nothing is. */
  String problem(Map<Object, Object> schema, Object value) {
    Map<Object, Object> rules = resolve(schema);
    if (rules.get("oneOf") instanceof List<?> choices) {
      return choices.stream().anyMatch(choice -> problem(map(choice), value).isEmpty())
          ? ""
          : value + " is none of the choices";
    }
    if (rules.get("enum") instanceof List<?> constants && !constants.contains(value)) {
      return value + " is none of " + constants;
    }
    if (value instanceof List<?> items) {
      for (Object item : items) {
        String wrong = problem(map(rules.get("items")), item);
        if (!wrong.isEmpty()) {
          return wrong;
        }
      }
    }
    return value instanceof Map<?, ?> object ? problemOfObject(rules, object) : "";
  }

  private String problemOfObject(Map<Object, Object> rules, Map<?, ?> object) {
    Map<Object, Object> properties = map(rules.get("properties"));
    for (Object required : (List<?>) rules.getOrDefault("required", List.of())) {
      if (!object.containsKey(required)) {
        return required + " is missing in " + object;
      }
    }
    for (Map.Entry<?, ?> field : object.entrySet()) {
      if (!properties.containsKey(field.getKey())) {
        return field.getKey() + " is not in the schema";
      }
      String wrong = problem(map(properties.get(field.getKey())), field.getValue());
      if (!wrong.isEmpty()) {
        return wrong;
      }
    }
    return "";
  }

  /** A value of the document as {@link Json#read} would have read it. */
  static Object asJson(Object value) {
    if (value instanceof Map<?, ?> object) {
      Map<String, Object> fields = new LinkedHashMap<>();
      object.forEach((name, field) -> fields.put((String) name, asJson(field)));
      return fields;
    }
    if (value instanceof List<?> items) {
      return items.stream().map(OpenApiDocument::asJson).toList();
    }
    return value instanceof Number number ? new BigDecimal(number.toString()) : value;
  }

  private List<Map<Object, Object>> parameters(Map<Object, Object> node) {
    List<Map<Object, Object>> parameters = new ArrayList<>();
    for (Object parameter : (List<?>) node.getOrDefault("parameters", List.of())) {
      parameters.add(resolve(parameter));
    }
    return parameters;
  }

  private static Map<String, Map<Object, Object>> contents(Map<Object, Object> node) {
    Map<String, Map<Object, Object>> contents = new LinkedHashMap<>();
    map(node.getOrDefault("content", Map.of()))
        .forEach((type, media) -> contents.put((String) type, map(media)));
    return contents;
  }

  private Map<Object, Object> resolve(Object node) {
    Map<Object, Object> resolved = map(node);
    while (resolved.get("$ref") instanceof String reference) {
      Map<Object, Object> target = root;
      for (String step : reference.substring("#/".length()).split("/", -1)) {
        target = map(target.get(step));
      }
      resolved = target;
    }
    return resolved;
  }

  @SuppressWarnings("unchecked") // Keys of this document are texts; what values are is looked at.
  private static Map<Object, Object> map(Object node) {
    return (Map<Object, Object>) Objects.requireNonNull(node);
  }
}
