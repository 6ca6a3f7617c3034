package dev.weir.server.dashboard;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Those who watch the stream: up to a maximum number, each with a bounded queue. One that does not
 * read is dropped, and never delays the others. Thread-safe.
 */
final class Viewers {
  static final int MAX_VIEWERS = 32;

  private final Set<Viewer> viewers = ConcurrentHashMap.newKeySet();

  /** Guarded by this. */
  private boolean isEnded;

  /**
   * Lets a viewer in; empty if there are too many. After {@link #end} it gets nothing but the end.
   *
   * @param cut closes the connection of the viewer
   */
  synchronized Optional<Viewer> enter(Runnable cut) {
    if (viewers.size() >= MAX_VIEWERS) {
      return Optional.empty();
    }
    Viewer viewer = new Viewer(cut, viewers::remove);
    viewers.add(viewer);
    if (isEnded) {
      viewer.end(Viewer.DRAINING);
    }
    return Optional.of(viewer);
  }

  boolean isEmpty() {
    return viewers.isEmpty();
  }

  int count() {
    return viewers.size();
  }

  void publish(ServerSentEvent event) {
    viewers.forEach(viewer -> viewer.offer(event));
  }

  /** Ends all streams, and those that begin later. */
  synchronized void end() {
    isEnded = true;
    viewers.forEach(viewer -> viewer.end(Viewer.DRAINING));
  }

  /** Ends all streams, so that viewers begin anew: the clock was set back. */
  void restart() {
    viewers.forEach(viewer -> viewer.end(Viewer.CLOCK_SET_BACK));
  }
}
