package dev.weir.server.limits;

import dev.weir.engine.limits.LimitNames;
import dev.weir.server.http.Fields;
import dev.weir.server.http.PathSegment;
import dev.weir.server.http.Problem;
import dev.weir.server.http.ProblemException;
import dev.weir.server.http.Snippet;
import io.micronaut.http.HttpRequest;
import java.util.Map;

/** The id of a resource in a path: whatever somebody wants to limit, under any name. */
final class ResourceId {
  /** Shorter than a store's names, so that there is room for what kind of thing it is. */
  static final int LONGEST = 200;

  static final String VARIABLE = "/{resourceId:[^/]+}";

  static final Problem EMPTY =
      coded(
          Problem.of(400, "invalid-request", "The id of the resource is empty."),
          "EMPTY_RESOURCE_ID");

  private static final int SEGMENT = 4;

  private ResourceId() {}

  static String of(HttpRequest<?> request) {
    String id = PathSegment.of(request, SEGMENT);
    if (id.isBlank()) {
      throw new ProblemException(EMPTY);
    }
    Fields fields = Fields.of(Map.of());
    LimitNames.problem(id, LONGEST).ifPresent(problem -> fields.wrong("resourceId", problem));
    fields.throwIfWrong();
    return id;
  }

  static ProblemException unknown(String id) {
    return new ProblemException(
        Problem.of(
            404, "unknown-resource", "Nothing is defined for \"%s\".".formatted(Snippet.of(id))));
  }

  /** A problem with a code, for programs. */
  static Problem coded(Problem problem, String code) {
    return problem.with(json -> json.writeStringField("code", code));
  }
}
