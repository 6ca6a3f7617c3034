package dev.weir.payments.feed.internal;

import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * A feed compressed with gzip, in one member or several. Damaged data is a {@link FeedException}:
 * reading it again would not help, as it may when a connection fails.
 *
 * <p>The stream of the JDK takes whatever follows a member and is not another one for the end. Then
 * a feed of several members with a damaged header would be accepted without its rest.
 */
final class GzipInput extends InputStream {
  private static final int BUFFER_BYTES = 64 * 1024;
  private static final int MAGIC = 0x8B1F;
  private static final int DEFLATE = 8;
  private static final int HAS_CHECKSUM = 1 << 1;
  private static final int HAS_EXTRA = 1 << 2;
  private static final int HAS_NAME = 1 << 3;
  private static final int HAS_COMMENT = 1 << 4;
  private static final int RESERVED = 0xE0;

  /** Time, flags of the compressor, and operating system. */
  private static final int IGNORED_BYTES = 6;

  private final InputStream compressed;
  private final Inflater inflater = new Inflater(true);
  private final CRC32 checksum = new CRC32();
  private final byte[] buffer = new byte[BUFFER_BYTES];

  /** What is left in the buffer, while it does not belong to the inflater. */
  private int from;

  private int until;
  private boolean isInMember;
  private boolean hasEnded;

  GzipInput(InputStream compressed) {
    this.compressed = compressed;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    while (!hasEnded) {
      if (!isInMember && !beginMember()) {
        hasEnded = true;
        inflater.end();
        break;
      }
      int read = inflate(target, offset, length);
      if (read > 0) {
        return read;
      }
    }
    return -1;
  }

  /** Returns the number of bytes; 0 after the end of the member. */
  private int inflate(byte[] target, int offset, int length) throws IOException {
    try {
      while (true) {
        int read = inflater.inflate(target, offset, length);
        if (read > 0) {
          checksum.update(target, offset, read);
          return read;
        }
        if (inflater.finished()) {
          endMember();
          return 0;
        }
        if (inflater.needsDictionary()) {
          throw damaged();
        }
        if (!fill()) {
          throw damaged();
        }
        inflater.setInput(buffer, 0, until);
      }
    } catch (DataFormatException e) {
      throw damaged();
    }
  }

  /** Reads the header of a member; returns false at the end of the data. */
  private boolean beginMember() throws IOException {
    checksum.reset();
    if (from == until && !fill()) {
      return false;
    }
    int magic = headerShort();
    int method = headerByte();
    int flags = headerByte();
    if (magic != MAGIC || method != DEFLATE || (flags & RESERVED) != 0) {
      throw damaged();
    }
    skip(IGNORED_BYTES);
    if ((flags & HAS_EXTRA) != 0) {
      skip(headerShort());
    }
    if ((flags & HAS_NAME) != 0) {
      skipText();
    }
    if ((flags & HAS_COMMENT) != 0) {
      skipText();
    }
    if ((flags & HAS_CHECKSUM) != 0) {
      int expected = (int) (checksum.getValue() & 0xFFFF);
      if (headerShort() != expected) {
        throw damaged();
      }
    }
    checksum.reset();
    inflater.reset();
    inflater.setInput(buffer, from, until - from);
    isInMember = true;
    return true;
  }

  private void endMember() throws IOException {
    from = until - inflater.getRemaining();
    long expectedChecksum = trailerInt();
    long expectedLength = trailerInt();
    if (expectedChecksum != checksum.getValue()
        || expectedLength != (inflater.getBytesWritten() & 0xFFFF_FFFFL)) {
      throw damaged();
    }
    isInMember = false;
  }

  private void skip(int bytes) throws IOException {
    for (int i = 0; i < bytes; i++) {
      headerByte();
    }
  }

  private void skipText() throws IOException {
    int next;
    do {
      next = headerByte();
    } while (next != 0);
  }

  private int headerShort() throws IOException {
    return headerByte() | headerByte() << 8;
  }

  private int headerByte() throws IOException {
    int next = nextByte();
    checksum.update(next);
    return next;
  }

  private long trailerInt() throws IOException {
    return nextByte() | nextByte() << 8 | nextByte() << 16 | (long) nextByte() << 24;
  }

  private int nextByte() throws IOException {
    if (from == until && !fill()) {
      throw damaged();
    }
    return buffer[from++] & 0xFF;
  }

  /** Fills the empty buffer; returns false at the end of the data. */
  private boolean fill() throws IOException {
    from = 0;
    until = Math.max(0, compressed.read(buffer, 0, buffer.length));
    return until > 0;
  }

  private FeedException damaged() {
    hasEnded = true;
    inflater.end();
    return new FeedException("its compressed data is damaged or ends early");
  }

  @Override
  public void close() throws IOException {
    hasEnded = true;
    inflater.end();
    compressed.close();
  }
}
