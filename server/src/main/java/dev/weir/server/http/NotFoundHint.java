package dev.weir.server.http;

import java.util.Optional;

/** Knows why some paths lead nowhere. All beans of this type are asked before a plain 404. */
public interface NotFoundHint {
  /** Returns what is wrong with the path; empty if there is nothing to add to a 404. */
  Optional<Problem> problem(String path);
}
