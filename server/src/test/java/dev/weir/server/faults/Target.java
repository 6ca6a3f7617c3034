package dev.weir.server.faults;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.util.concurrent.atomic.AtomicLong;

/** A node as its callers see it: what it answered, and what it may be excused for. Thread-safe. */
final class Target implements AutoCloseable {
  final Api api;
  final AtomicLong answers = new AtomicLong();
  final AtomicLong refusals = new AtomicLong();
  private final URI address;
  private volatile Excuse excuse = Excuse.NONE;

  /** What may come in place of an answer. */
  enum Excuse {
    /** Nothing. */
    NONE,
    /** It drains: it may refuse to be connected to. Whoever is connected gets an answer. */
    LEAVING,
    /** It was killed: anything. */
    KILLED;

    boolean covers(IOException failure) {
      return switch (this) {
        case NONE -> false;
        case LEAVING -> failure instanceof ConnectException;
        case KILLED -> true;
      };
    }
  }

  Target(URI address) {
    this.address = address;
    this.api = new Api(address);
  }

  void excuse(Excuse now) {
    excuse = now;
  }

  Excuse excuse() {
    return excuse;
  }

  @Override
  public void close() {
    api.close();
  }

  @Override
  public String toString() {
    return address.toString();
  }
}
