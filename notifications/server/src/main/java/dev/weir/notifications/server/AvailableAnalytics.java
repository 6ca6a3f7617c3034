package dev.weir.notifications.server;

import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import dev.weir.notifications.analytics.Analytics;
import java.util.Optional;

/** The analytics of this node, which it has only if it is told where OpenSearch is. */
public final class AvailableAnalytics {
  private final Optional<Analytics> analytics;

  private AvailableAnalytics(Optional<Analytics> analytics) {
    this.analytics = analytics;
  }

  public static AvailableAnalytics to(Analytics analytics) {
    return new AvailableAnalytics(Optional.of(analytics));
  }

  /** Returns the analytics of a node without them: every request is answered with a problem. */
  public static AvailableAnalytics none() {
    return new AvailableAnalytics(Optional.empty());
  }

  /**
   * Returns what answers questions.
   *
   * @throws ProblemException if this node has no analytics
   */
  Analytics analytics() {
    return analytics.orElseThrow(
        () ->
            new ProblemException(
                Problem.of(
                    404,
                    "analytics-disabled",
                    "This node has no analytics, because weir.opensearch.url is not set.")));
  }
}
