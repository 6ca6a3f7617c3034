package dev.weir.server.limits;

import dev.weir.http.fields.Fields;
import dev.weir.http.fields.PathSegment;
import dev.weir.http.json.Snippet;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import dev.weir.internal.LimitNames;
import io.micronaut.http.HttpRequest;
import java.util.Map;

/** The id of a resource in a path. Callers choose what it stands for. */
final class ResourceId {
  /**
   * Max length. It is less than that of names in a store, which leaves room for a prefix with the
   * kind of limit.
   */
  static final int MAX_LENGTH = 200;

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
    LimitNames.problem(id, MAX_LENGTH).ifPresent(problem -> fields.wrong("resourceId", problem));
    fields.throwIfWrong();
    return id;
  }

  static ProblemException unknown(String id) {
    return new ProblemException(
        Problem.of(
            404, "unknown-resource", "Nothing is defined for \"%s\".".formatted(Snippet.of(id))));
  }

  /** Returns the problem with a machine-readable code. */
  static Problem coded(Problem problem, String code) {
    return problem.with(json -> json.writeStringField("code", code));
  }
}
