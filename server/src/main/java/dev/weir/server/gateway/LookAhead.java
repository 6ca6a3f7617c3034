package dev.weir.server.gateway;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory for bytes that are read before anything takes them, bodies and further requests,
 * shared by all event loops.
 *
 * <p>A close comes behind all that a client has sent, and what our kernel does not take waits in
 * the client's. As long as these bytes are not read, nothing shows that the client has left. A
 * client whose request holds a place is therefore read on after a while, as far as there is memory.
 */
final class LookAhead {
  /** What a request, or a connection for further requests, gets at a time. */
  static final int PORTION_BYTES = 4 << 20;

  /** What it gets in all: more than two kernels usually hold of a connection. */
  static final int MAX_BYTES = 4 * PORTION_BYTES;

  private static final long MAX_TOTAL_BYTES = 16L * PORTION_BYTES;
  private static final int SHARE_OF_MEMORY = 8;

  private final AtomicLong portions;

  private LookAhead(long portions) {
    this.portions = new AtomicLong(portions);
  }

  /** An eighth of what this process may use, at most 64 MiB. */
  static LookAhead ofThisProcess() {
    long bytes = Math.min(MAX_TOTAL_BYTES, Runtime.getRuntime().maxMemory() / SHARE_OF_MEMORY);
    return new LookAhead(bytes / PORTION_BYTES);
  }

  /** Returns true if there was a portion left, which is taken now. */
  boolean take() {
    return portions.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
  }

  void giveBack(int count) {
    portions.addAndGet(count);
  }
}
