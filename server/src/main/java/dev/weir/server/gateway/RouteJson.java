package dev.weir.server.gateway;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.http.fields.Fields;
import dev.weir.http.problems.ProblemException;
import dev.weir.routes.internal.Route;
import dev.weir.routes.internal.RouteSpec;
import dev.weir.routes.internal.Upstream;
import dev.weir.rules.matching.PathPattern;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Function;

/** Reads and writes routes as JSON. */
final class RouteJson {
  private RouteJson() {}

  /**
   * Reads the definition of a route.
   *
   * @throws ProblemException if it is invalid, naming every wrong field
   */
  static RouteSpec read(Object document) {
    Fields fields = Fields.of(document);
    Optional<PathPattern> path = read(fields, "pathPattern", PathPattern::of);
    Optional<Upstream> upstream = read(fields, "upstream", Upstream::of);
    boolean isActive = fields.flag("active").orElse(true);
    fields.refuseOthers();
    fields.throwIfWrong();
    return new RouteSpec(path.orElseThrow(), upstream.orElseThrow(), isActive);
  }

  private static <T> Optional<T> read(Fields fields, String name, Function<String, T> reader) {
    return fields
        .required(name, fields.text(name))
        .flatMap(
            text -> {
              try {
                return Optional.of(reader.apply(text));
              } catch (IllegalArgumentException e) {
                fields.wrong(name, String.valueOf(e.getMessage()));
                return Optional.empty();
              }
            });
  }

  /** Writes the members of a stored route into a JSON object that the caller has started. */
  static void writeMembers(JsonGenerator json, Route route) throws IOException {
    json.writeNumberField("id", route.id());
    json.writeStringField("pathPattern", route.spec().path().text());
    json.writeStringField("upstream", route.spec().upstream().text());
    json.writeBooleanField("active", route.spec().isActive());
    json.writeNumberField("version", route.version());
    json.writeStringField("createdAt", route.createdAt().toString());
    json.writeStringField("updatedAt", route.updatedAt().toString());
  }
}
