package dev.weir.engine.routes;

import dev.weir.engine.register.Entry;
import dev.weir.engine.rules.PathPattern;
import java.time.Instant;

/** A route as it is kept. */
public record Route(long id, int version, Terms terms, Instant createdAt, Instant updatedAt)
    implements Entry<Route.Terms> {
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
