package dev.weir.notifications.server;

import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import java.util.Optional;

/** The notifications of this node, which it has only if it has a database. */
public final class AvailableNotifications {
  private final Optional<NotificationServices> services;

  private AvailableNotifications(Optional<NotificationServices> services) {
    this.services = services;
  }

  public static AvailableNotifications to(NotificationServices services) {
    return new AvailableNotifications(Optional.of(services));
  }

  /** Returns the notifications of a node without them: every request is answered with a problem. */
  public static AvailableNotifications none() {
    return new AvailableNotifications(Optional.empty());
  }

  /**
   * Returns what the endpoints stand on.
   *
   * @throws ProblemException if this node has no notifications
   */
  NotificationServices services() {
    return services.orElseThrow(
        () ->
            new ProblemException(
                Problem.of(
                    404,
                    "notifications-disabled",
                    "This node has no notifications, because it is not on PostgreSQL.")));
  }
}
