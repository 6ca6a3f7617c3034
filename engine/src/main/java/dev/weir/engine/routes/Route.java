package dev.weir.engine.routes;

import dev.weir.engine.register.Entry;
import dev.weir.engine.rules.PathPattern;
import java.time.Instant;

/** A version of a route. */
public record Route(long id, int version, Terms terms, Instant createdAt, Instant updatedAt)
    implements Entry<Route.Terms> {
  /**
   * The content of a route: which requests go to which upstream.
   *
   * @param isActive false to treat the route as absent
   */
  public record Terms(PathPattern path, Upstream upstream, boolean isActive) {
    /** Returns an active route. */
    public static Terms of(String path, String upstream) {
      return new Terms(PathPattern.of(path), Upstream.of(upstream), true);
    }
  }
}
