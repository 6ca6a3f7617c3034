package dev.weir.server.gateway;

import dev.weir.server.gateway.UpstreamPool.Waiting;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The requests that wait for a connection to an upstream, in the order of their arrival, and the
 * share of requests whose body is still arriving: they use up to half of the connections, so that
 * slow clients leave the other half to requests that are complete. Confined to one event loop.
 */
final class WaitingRequests {
  private static final int SHARE = 2;

  private final ArrayDeque<Place> whole = new ArrayDeque<>(0);
  private final LinkedHashMap<Waiting, Place> unfinished = new LinkedHashMap<>(0);
  private long first;
  private long last;

  /** Connections in use, or being opened, for requests whose body is still arriving. */
  private int unfinishedInUse;

  private record Place(Waiting request, long number) {}

  /**
   * Returns true if a request may use a connection now, if there is one.
   *
   * @param max max connections
   */
  boolean mayUse(Waiting request, int max) {
    return request.isWhole() || mayUseUnfinished(max);
  }

  private boolean mayUseUnfinished(int max) {
    return unfinishedInUse < Math.ceilDiv(max, SHARE);
  }

  void addLast(Waiting request) {
    last++;
    Place place = new Place(request, last);
    if (request.isWhole()) {
      whole.addLast(place);
    } else {
      unfinished.putLast(request, place);
    }
  }

  /** Adds a request that has had its turn before. */
  void addFirst(Waiting request) {
    first--;
    Place place = new Place(request, first);
    if (request.isWhole()) {
      whole.addFirst(place);
    } else {
      unfinished.putFirst(request, place);
    }
  }

  /** Moves a request whose body has arrived, if it waits here, behind those that are complete. */
  void arrived(Waiting request) {
    if (unfinished.remove(request) != null) {
      addLast(request);
    }
  }

  /** Removes and returns the request that waits for longest, of those that may use a connection. */
  @Nullable Waiting poll(int max) {
    Place one = firstWhole();
    Place other = mayUseUnfinished(max) ? firstUnfinished() : null;
    if (one == null && other == null) {
      return null;
    }
    if (other == null || (one != null && one.number() < other.number())) {
      return whole.removeFirst().request();
    }
    unfinished.pollFirstEntry();
    return other.request();
  }

  private @Nullable Place firstWhole() {
    Place place = whole.peekFirst();
    while (place != null && !place.request().isConnecting()) {
      whole.removeFirst();
      place = whole.peekFirst();
    }
    return place;
  }

  private @Nullable Place firstUnfinished() {
    Map.Entry<Waiting, Place> place = unfinished.firstEntry();
    while (place != null && !place.getKey().isConnecting()) {
      unfinished.pollFirstEntry();
      place = unfinished.firstEntry();
    }
    return place == null ? null : place.getValue();
  }

  /** Counts a connection for a request; returns true if its body is still arriving. */
  boolean use(Waiting request) {
    boolean isUnfinished = !request.isWhole();
    if (isUnfinished) {
      unfinishedInUse++;
    }
    return isUnfinished;
  }

  /** Called once for each request that {@link #use} returned true for: its body has arrived. */
  void finished() {
    unfinishedInUse--;
  }

  /** Removes the requests that need no connection any more. */
  void sweep() {
    whole.removeIf(place -> !place.request().isConnecting());
    unfinished.keySet().removeIf(request -> !request.isConnecting());
  }

  boolean isEmpty() {
    return whole.isEmpty() && unfinished.isEmpty();
  }
}
