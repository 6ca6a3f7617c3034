package dev.weir.notifications.server;

import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import java.util.Optional;

/** The notifications of this node, which it has only if it has a database. */
public final class NotificationAccess {
  private final Optional<NotificationBackend> backend;

  private NotificationAccess(Optional<NotificationBackend> backend) {
    this.backend = backend;
  }

  public static NotificationAccess to(NotificationBackend backend) {
    return new NotificationAccess(Optional.of(backend));
  }

  /** Returns access on a node without notifications: every request is answered with a problem. */
  public static NotificationAccess none() {
    return new NotificationAccess(Optional.empty());
  }

  /**
   * Returns what the endpoints stand on.
   *
   * @throws ProblemException if this node has no notifications
   */
  NotificationBackend backend() {
    return backend.orElseThrow(
        () ->
            new ProblemException(
                Problem.of(
                    404,
                    "notifications-disabled",
                    "This node has no notifications, because it has no database.")));
  }
}
