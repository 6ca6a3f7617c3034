package dev.weir.internal;

import java.util.Optional;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Decompresses data piece by piece and detects damage and truncation. The decoders of Netty and of
 * the JDK take some of what is cut short or damaged for complete, and ignore what follows the first
 * member of a gzip file (RFC 1952), or a damaged one. Not thread-safe.
 */
public final class Decompressor implements AutoCloseable {
  private static final byte[] NOTHING = new byte[0];
  private static final int DEFLATED = 8;
  private static final int FIXED_BYTES = 10;
  private static final int TRAILER_BYTES = 8;
  private static final int HAS_CRC = 2;
  private static final int HAS_EXTRA = 4;
  private static final int HAS_NAME = 8;
  private static final int HAS_COMMENT = 16;
  private static final int RESERVED = 0xe0;

  private final boolean isGzip;

  /** Of the header, and then of the data, of a member. */
  private final CRC32 crc = new CRC32();

  private Inflater inflater = new Inflater(true);
  private Part part;
  private int at;
  private int flags;
  private int extraLeft;
  private int firstByte;
  private int headerCrc;
  private long trailer;
  private boolean isBegun;
  private byte[] input = NOTHING;
  private int position;
  private int limit;

  /** The position in the compressed bytes, in order. */
  private enum Part {
    /** The first two bytes of deflate: either a zlib header or the data itself. */
    BEGIN,
    FIXED,
    EXTRA_LENGTH,
    EXTRA,
    NAME,
    COMMENT,
    HEADER_CRC,
    DATA,
    TRAILER,
    END
  }

  private Decompressor(boolean isGzip) {
    this.isGzip = isGzip;
    this.part = isGzip ? Part.FIXED : Part.BEGIN;
  }

  /** Returns a decompressor of gzip files. */
  public static Decompressor ofGzip() {
    return new Decompressor(true);
  }

  /** Returns a decompressor for this {@code Content-Encoding}; empty if it is not supported. */
  public static Optional<Decompressor> of(String encoding) {
    return switch (encoding) {
      case "gzip", "x-gzip" -> Optional.of(new Decompressor(true));
      case "deflate", "x-deflate" -> Optional.of(new Decompressor(false));
      default -> Optional.empty();
    };
  }

  /**
   * Takes the next compressed bytes, which must not change until {@link #read} has returned 0. Call
   * it only then.
   */
  public void feed(byte[] packed, int length) {
    input = packed;
    position = 0;
    limit = length;
  }

  /**
   * Decompresses fed bytes into {@code target}. Returns their number; 0 if more bytes are needed.
   *
   * @throws DataFormatException if the bytes do not match the encoding
   */
  public int read(byte[] target, int offset, int length) throws DataFormatException {
    while (true) {
      if (part == Part.DATA) {
        int read = inflate(target, offset, length);
        if (read > 0 || part == Part.DATA) {
          return read;
        }
      } else if (position < limit) {
        isBegun = true;
        header(input[position++] & 0xff);
      } else {
        return 0;
      }
    }
  }

  /** Returns true if every member that began has ended, or if nothing has begun. */
  public boolean isWhole() {
    return !isBegun || part == Part.END || (isGzip && part == Part.FIXED && at == 0);
  }

  /** Returns the number of bytes; 0 if the data has ended or more bytes are needed. */
  private int inflate(byte[] target, int offset, int length) throws DataFormatException {
    while (true) {
      int read = inflater.inflate(target, offset, length);
      if (read > 0) {
        crc.update(target, offset, read);
        return read;
      } else if (inflater.finished()) {
        part = isGzip ? Part.TRAILER : Part.END;
        at = 0;
        position -= inflater.getRemaining();
        return 0;
      } else if (inflater.needsDictionary()) {
        throw new DataFormatException("a dictionary is needed");
      } else if (position == limit) {
        return 0;
      }
      isBegun = true;
      inflater.setInput(input, position, limit - position);
      position = limit;
    }
  }

  /** Takes a byte outside the compressed data. */
  private void header(int octet) throws DataFormatException {
    if (part != Part.HEADER_CRC && part != Part.TRAILER) {
      crc.update(octet);
    }
    switch (part) {
      case BEGIN -> begin(octet);
      case FIXED -> fixed(octet);
      case EXTRA_LENGTH -> {
        extraLeft |= octet << (8 * at++);
        if (at == 2) {
          next(extraLeft == 0 ? Part.NAME : Part.EXTRA);
        }
      }
      case EXTRA -> {
        if (--extraLeft == 0) {
          next(Part.NAME);
        }
      }
      case NAME, COMMENT -> {
        if (octet == 0) {
          next(part == Part.NAME ? Part.COMMENT : Part.HEADER_CRC);
        }
      }
      case HEADER_CRC -> headerCrc(octet);
      case TRAILER -> trailer(octet);
      case END, DATA -> throw new DataFormatException("bytes after the end");
    }
  }

  /**
   * Detects whether the data has a zlib header. Some clients send raw deflate data where the
   * encoding requires the zlib format (RFC 9110, 8.4.1.2).
   */
  private void begin(int octet) {
    if (at++ == 0) {
      firstByte = octet;
      return;
    }
    boolean isZlib = (firstByte & 0x8f) == DEFLATED && ((firstByte << 8) + octet) % 31 == 0;
    inflater.end();
    inflater = new Inflater(!isZlib);
    part = Part.DATA;
    inflater.setInput(new byte[] {(byte) firstByte, (byte) octet});
  }

  private void fixed(int octet) throws DataFormatException {
    if ((at == 0 && octet != 0x1f)
        || (at == 1 && octet != 0x8b)
        || (at == 2 && octet != DEFLATED)) {
      throw new DataFormatException("no gzip");
    }
    if (at == 3) {
      if ((octet & RESERVED) != 0) {
        throw new DataFormatException("unknown flags");
      }
      flags = octet;
    }
    if (++at == FIXED_BYTES) {
      extraLeft = 0;
      headerCrc = 0;
      next(Part.EXTRA_LENGTH);
    }
  }

  /** Moves to the first part at or after this one that the flags declare. */
  private void next(Part wanted) {
    at = 0;
    part = wanted;
    if (part == Part.EXTRA_LENGTH && (flags & HAS_EXTRA) == 0) {
      part = Part.NAME;
    }
    if (part == Part.NAME && (flags & HAS_NAME) == 0) {
      part = Part.COMMENT;
    }
    if (part == Part.COMMENT && (flags & HAS_COMMENT) == 0) {
      part = Part.HEADER_CRC;
    }
    if (part == Part.HEADER_CRC && (flags & HAS_CRC) == 0) {
      part = Part.DATA;
    }
    if (part == Part.DATA) {
      crc.reset();
    }
  }

  private void headerCrc(int octet) throws DataFormatException {
    headerCrc |= octet << (8 * at++);
    if (at < 2) {
      return;
    }
    if (headerCrc != (crc.getValue() & 0xffff)) {
      throw new DataFormatException("the checksum of the header differs");
    }
    next(Part.DATA);
  }

  /** Checks the checksum and the length. Another member may follow them. */
  private void trailer(int octet) throws DataFormatException {
    trailer |= (long) octet << (8 * at++);
    if (at < TRAILER_BYTES) {
      return;
    }
    long expected = crc.getValue() | (inflater.getBytesWritten() & 0xffffffffL) << 32;
    if (trailer != expected) {
      throw new DataFormatException("the checksum differs");
    }
    crc.reset();
    inflater.reset();
    trailer = 0;
    at = 0;
    part = Part.FIXED;
  }

  @Override
  public void close() {
    inflater.end();
  }
}
