package dev.weir.server.gateway;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory budget for bytes that are read ahead, of bodies and further requests. Shared by all
 * event loops.
 *
 * <p>A close arrives behind everything that a client has sent, and what does not fit into the
 * gateway's kernel buffer waits in the client's. As long as these bytes are not read, nothing shows
 * that the client has left. A client whose request holds a place is therefore read ahead after a
 * while, as far as memory allows.
 */
final class LookAhead {
  /** Size of one portion, granted to a request or to a connection for further requests. */
  static final int PORTION_BYTES = 4 << 20;

  /**
   * Max bytes for each of them: more than the buffers of two kernels usually hold for a connection.
   */
  static final int MAX_BYTES = 4 * PORTION_BYTES;

  private static final long MAX_TOTAL_BYTES = 16L * PORTION_BYTES;
  private static final int SHARE_OF_MEMORY = 8;

  private final AtomicLong portions;

  private LookAhead(long portions) {
    this.portions = new AtomicLong(portions);
  }

  /** Returns a budget of an eighth of the max heap of this process, up to 64 MiB. */
  static LookAhead ofThisProcess() {
    long bytes = Math.min(MAX_TOTAL_BYTES, Runtime.getRuntime().maxMemory() / SHARE_OF_MEMORY);
    return new LookAhead(bytes / PORTION_BYTES);
  }

  /** Takes a portion; returns false if none is left. */
  boolean take() {
    return portions.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
  }

  void giveBack(int count) {
    portions.addAndGet(count);
  }
}
