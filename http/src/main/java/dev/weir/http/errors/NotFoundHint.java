package dev.weir.http.errors;

import dev.weir.http.problems.Problem;
import java.util.Optional;

/** Explains why a path does not exist. Every bean of this type is consulted before a plain 404. */
public interface NotFoundHint {
  /** Returns the problem with the path; empty if there is nothing to add to a 404. */
  Optional<Problem> problem(String path);
}
