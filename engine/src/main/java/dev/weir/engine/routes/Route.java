package dev.weir.engine.routes;

import dev.weir.engine.rules.PathPattern;
import java.time.Instant;

/**
 * A route as it is kept.
 *
 * @param version goes up with each change; a change names the version that it knows
 */
public record Route(long id, int version, Terms terms, Instant createdAt, Instant updatedAt) {
  /** What no other route has: its pattern, as it was written. */
  public String path() {
    return terms.path().text();
  }

  /**
   * Which requests go where.
   *
   * @param isActive a route that is not active is as if it were not there
   */
  public record Terms(PathPattern path, Upstream upstream, boolean isActive) {
    /** A route that is in use. */
    public static Terms of(String path, String upstream) {
      return new Terms(PathPattern.of(path), Upstream.of(upstream), true);
    }
  }
}
