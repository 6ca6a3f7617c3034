package dev.weir.http.fields;

import dev.weir.http.problems.ProblemException;
import io.micronaut.http.HttpRequest;

/** Decodes segments of a path. */
public final class PathSegment {
  private PathSegment() {}

  /**
   * Returns the decoded segment after this number of slashes. A plus stays a plus, whereas
   * Micronaut decodes it as a space.
   *
   * @throws ProblemException if the segment is not percent-encoded UTF-8
   */
  public static String of(HttpRequest<?> request, int slashes) {
    return PercentEncoding.decode(request.getPath().split("/", -1)[slashes]);
  }
}
