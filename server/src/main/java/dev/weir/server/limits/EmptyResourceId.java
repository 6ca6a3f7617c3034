package dev.weir.server.limits;

import dev.weir.http.errors.NotFoundHint;
import dev.weir.http.problems.Problem;
import jakarta.inject.Singleton;
import java.util.Optional;
import java.util.regex.Pattern;

/** Recognizes paths that are not found only because their resource id is empty. */
@Singleton
final class EmptyResourceId implements NotFoundHint {
  private static final Pattern PATHS = Pattern.compile("/api/v1/(buckets|concurrency)(/|//.*)?");

  @Override
  public Optional<Problem> problem(String path) {
    return PATHS.matcher(path).matches() ? Optional.of(ResourceId.EMPTY) : Optional.empty();
  }
}
