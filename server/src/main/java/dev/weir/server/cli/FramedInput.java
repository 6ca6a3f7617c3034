package dev.weir.server.cli;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/**
 * The body of an HTTP/1.1 response without its framing. A truncated body is an {@link
 * EOFException}, never a normal end: half a response must not pass for a whole one.
 */
final class FramedInput extends InputStream {
  private final InputStream in;
  private final boolean chunked;
  private long leftBytes;
  private boolean inChunk;
  private boolean ended;

  /**
   * Reads a body from a stream.
   *
   * @param leftBytes the length of the body, or 0 if it is chunked
   */
  FramedInput(InputStream in, long leftBytes, boolean chunked) {
    this.in = in;
    this.leftBytes = leftBytes;
    this.chunked = chunked;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (leftBytes == 0 && !nextChunk()) {
      return -1;
    }
    int count = in.read(target, offset, (int) Math.min(length, leftBytes));
    if (count < 0) {
      throw new EOFException("the connection was closed");
    }
    leftBytes -= count;
    return count;
  }

  @Override
  public int available() throws IOException {
    return (int) Math.min(leftBytes, in.available());
  }

  private boolean nextChunk() throws IOException {
    if (!chunked || ended) {
      return false;
    }
    if (inChunk && !AnswerHead.line(in).isEmpty()) {
      throw new IOException("a chunk of the answer is longer than it says");
    }
    String size = AnswerHead.line(in);
    int extension = size.indexOf(';');
    leftBytes = AnswerHead.number((extension < 0 ? size : size.substring(0, extension)).trim(), 16);
    inChunk = true;
    if (leftBytes == 0) {
      ended = true;
      // Trailers contain nothing of interest.
      String trailer;
      do {
        trailer = AnswerHead.line(in);
      } while (!trailer.isEmpty());
    }
    return !ended;
  }
}
