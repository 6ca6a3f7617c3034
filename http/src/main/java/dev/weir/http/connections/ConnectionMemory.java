package dev.weir.http.connections;

/**
 * What one connection takes of the memory of its port: for requests without a response, and for
 * responses that its client has not taken. Confined to the event loop of the connection.
 */
final class ConnectionMemory {
  private final RequestMemory port;

  /** Taken for what has arrived. */
  private long heldBytes;

  /** Of header fields that are not taken yet. */
  private long fieldBytes;

  /** Taken for responses that the client has not taken yet. */
  private long unreadBytes;

  /** Whether the memory of a stream is among what is held. */
  private boolean isStreamTaken;

  ConnectionMemory(RequestMemory port) {
    this.port = port;
  }

  /** Takes memory for bytes of a head; returns false if they are too many. */
  boolean takeHead(long bytes) {
    return take(bytes * RequestMemory.HEAP_PER_HEAD_BYTE);
  }

  /** Adds the header fields of a request, which are taken with its next bytes. */
  void addFields(int count) {
    fieldBytes += (long) count * RequestMemory.FIELD_BYTES;
  }

  /** Takes memory for bytes that are kept; returns false if they are too many. */
  boolean takeBody(long bytes) {
    return takeWithFields(bytes + RequestMemory.BUFFER_BYTES);
  }

  /**
   * Takes the memory of a stream, which is the same for all of its bytes; returns false if it is
   * too much.
   */
  boolean takeStream() {
    isStreamTaken = isStreamTaken || takeWithFields(RequestMemory.STREAM_BYTES);
    return isStreamTaken;
  }

  private boolean takeWithFields(long bytes) {
    boolean isTaken = take(fieldBytes + bytes);
    fieldBytes = 0;
    return isTaken;
  }

  private boolean take(long bytes) {
    if (!port.take(heldBytes, bytes)) {
      return false;
    }
    heldBytes += bytes;
    return true;
  }

  /** Gives back the memory of the last request, and keeps that of bytes behind it. */
  void giveBackRequest(long waitingBytes) {
    long keptBytes = Math.min(heldBytes, waitingBytes);
    port.giveBack(heldBytes - keptBytes);
    heldBytes = keptBytes;
    fieldBytes = 0;
    isStreamTaken = false;
  }

  /** Returns true if memory is taken for responses. */
  boolean hasUnread() {
    return unreadBytes > 0;
  }

  /**
   * Takes memory for that number of bytes of responses; returns false, and changes nothing, if that
   * is more than the share of one connection.
   */
  boolean takeUnread(long bytes) {
    if (bytes > unreadBytes && !port.take(unreadBytes, bytes - unreadBytes)) {
      return false;
    }
    if (bytes < unreadBytes) {
      port.giveBack(unreadBytes - bytes);
    }
    unreadBytes = bytes;
    return true;
  }

  void giveBackUnread() {
    port.giveBack(unreadBytes);
    unreadBytes = 0;
  }

  void giveBackAll() {
    giveBackRequest(0);
    giveBackUnread();
  }
}
