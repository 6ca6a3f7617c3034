package dev.weir.http.connections;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory budget of requests in progress, shared by all connections of a port. Thread-safe.
 *
 * <p>A request may hold up to a fraction of what is left, so large requests that are refused leave
 * room for small ones.
 */
public final class RequestMemory {
  /** Max heap per byte of a head: the shortest header field, four bytes, becomes six objects. */
  public static final int HEAP_PER_HEAD_BYTE = 40;

  /** Heap of a header field and of its entry in the headers of a request. */
  public static final int FIELD_BYTES = 160;

  /**
   * Memory of a stream of lines, however long it is: what is read of it, and the answers to a few
   * hundred lines that wait until its client takes them.
   */
  static final int STREAM_BYTES = 768 * 1024;

  /** Memory of a buffer in addition to its bytes. */
  static final int BUFFER_BYTES = 128;

  private static final int SHARE_OF_HEAP = 4;
  private static final int SHARE_OF_FREE = 8;

  private final AtomicLong free;

  RequestMemory(long bytes) {
    this.free = new AtomicLong(bytes);
  }

  /** Returns a budget of a number of bytes. */
  public static RequestMemory of(long bytes) {
    return new RequestMemory(bytes);
  }

  /** Returns a budget of a quarter of the max heap of this process. */
  public static RequestMemory ofThisProcess() {
    return new RequestMemory(Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP);
  }

  /**
   * Takes more memory for a request; returns false if it would hold more than an eighth of what is
   * left.
   *
   * @param heldBytes what the request holds already
   */
  public boolean take(long heldBytes, long moreBytes) {
    long left = free.addAndGet(-moreBytes);
    if (heldBytes + moreBytes <= left / SHARE_OF_FREE) {
      return true;
    }
    free.addAndGet(moreBytes);
    return false;
  }

  public void giveBack(long bytes) {
    free.addAndGet(bytes);
  }

  public long freeBytes() {
    return free.get();
  }
}
