package dev.weir.http.connections;

import io.micronaut.http.HttpHeaders;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.ResponseFilter;
import io.micronaut.http.annotation.ServerFilter;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Whether this node is shutting down. While it drains, it is not ready, and each response asks to
 * close its connection, so that busy clients leave between two requests instead of during one.
 */
@ServerFilter(ServerFilter.MATCH_ALL_PATTERN)
public final class Draining {
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private volatile boolean begun;

  public void begin() {
    begun = true;
    listeners.forEach(Runnable::run);
  }

  /** Adds an action that runs when draining begins. Called while the server is assembled. */
  public void whenBegun(Runnable action) {
    listeners.add(action);
  }

  public boolean begun() {
    return begun;
  }

  @ResponseFilter
  void closeConnection(MutableHttpResponse<?> response) {
    if (begun) {
      response.header(HttpHeaders.CONNECTION, "close");
    }
  }
}
