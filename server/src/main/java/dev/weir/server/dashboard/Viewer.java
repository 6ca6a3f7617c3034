package dev.weir.server.dashboard;

import dev.weir.http.json.Json;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.function.Consumer;

/**
 * One stream of events. The sampler offers events and never waits; the thread of the connection
 * takes them. Thread-safe.
 */
final class Viewer {
  /** The number of events, about the seconds, that a viewer may be behind. */
  static final int MAX_BEHIND = 15;

  /**
   * The number of samples, about the seconds, after which a stream ends and has to be asked for
   * again: the system of a viewer that reads nothing may take events for hours.
   */
  static final int MAX_SAMPLES = 300;

  static final ServerSentEvent DRAINING = farewell("draining");
  private static final ServerSentEvent RENEW = farewell("renew");
  static final ServerSentEvent CLOCK_SET_BACK = farewell("clock-set-back");

  /** Marks the end of the queue. */
  private static final ServerSentEvent LAST =
      new ServerSentEvent(ServerSentEvent.NO_SECOND, new byte[0]);

  private final BlockingQueue<ServerSentEvent> queue = new ArrayBlockingQueue<>(MAX_BEHIND);
  private final Runnable cut;
  private final Consumer<Viewer> left;

  /** Samples up to this second have been sent. Accessed by the thread of the connection only. */
  private long sentSecond = Long.MIN_VALUE;

  /** Accessed by the thread that takes samples only. */
  private int offeredSamples;

  /** Guarded by this. */
  private boolean isEnded;

  /**
   * Creates a stream.
   *
   * @param cut closes the connection
   * @param left called when the viewer is no longer there
   */
  Viewer(Runnable cut, Consumer<Viewer> left) {
    this.cut = cut;
    this.left = left;
  }

  /**
   * Adds an event. A viewer that is too far behind is cut off, one that has got its share of
   * samples is asked to begin anew.
   */
  void offer(ServerSentEvent event) {
    if (put(event) == Put.TOO_FAR_BEHIND) {
      leave();
      cut.run();
    } else if (event.second() != ServerSentEvent.NO_SECOND && ++offeredSamples == MAX_SAMPLES) {
      end(RENEW);
    }
  }

  private enum Put {
    DONE,
    ENDED,
    TOO_FAR_BEHIND
  }

  private synchronized Put put(ServerSentEvent event) {
    if (isEnded) {
      return Put.ENDED;
    }
    return queue.offer(event) ? Put.DONE : Put.TOO_FAR_BEHIND;
  }

  private static ServerSentEvent farewell(String reason) {
    return ServerSentEvent.of(
        "end",
        Json.bytes(
            json -> {
              json.writeStartObject();
              json.writeStringField("reason", reason);
              json.writeEndObject();
            }));
  }

  /** Ends the stream after an event that says why, in place of all events that wait. */
  void end(ServerSentEvent why) {
    close(Optional.of(why));
  }

  /** Ends the stream because the connection is gone or too slow. Idempotent. */
  void leave() {
    close(Optional.empty());
  }

  private void close(Optional<ServerSentEvent> farewell) {
    synchronized (this) {
      if (isEnded) {
        return;
      }
      isEnded = true;
      queue.clear();
      farewell.ifPresent(queue::add);
      queue.add(LAST);
    }
    left.accept(this);
  }

  /** Sets up to which second samples have been sent already. */
  void sentUpTo(long second) {
    sentSecond = second;
  }

  /** Waits for the next event and returns its bytes; empty at the end. */
  Optional<byte[]> next() throws InterruptedException {
    while (true) {
      ServerSentEvent event = queue.take();
      if (event == LAST) {
        return Optional.empty();
      }
      if (event.second() == ServerSentEvent.NO_SECOND) {
        return Optional.of(event.bytes());
      }
      if (event.second() > sentSecond) {
        sentSecond = event.second();
        return Optional.of(event.bytes());
      }
    }
  }
}
