package dev.weir.workflows.feed.internal;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Splits a stream of bytes into records that end at a line feed, in a buffer of fixed size. In CSV,
 * a line feed inside a quoted field belongs to the record.
 *
 * <p>This is not left to FastCSV, which stops at the first malformed record: an import continues
 * after it, loses one line to a quote that is never closed, reports every rejected record as it is
 * in the file, and counts the bytes that it has taken.
 *
 * <p>Works on bytes because line feed, comma and quote never occur inside a longer UTF-8 sequence.
 */
public final class RecordReader {
  public static final int MAX_RECORD_BYTES = 256 * 1024;
  private static final char REPLACEMENT = '\uFFFD';
  private static final int SHOWN_OF_TOO_LONG_BYTES = 1_000;

  /**
   * Bytes that may be read again because of quotes that are never closed: a thousand of the worst.
   * Otherwise a feed of nothing else would take hours.
   */
  static final long MAX_REREAD_BYTES = 1L << 28;

  private final InputStream in;
  private final boolean csv;
  private final byte[] buffer = new byte[2 * MAX_RECORD_BYTES];
  private int start;
  private int end;
  private boolean begun;
  private boolean ended;
  private long consumedBytes;
  private long line = 1;
  private long rereadBytes;

  /**
   * Reads records from a stream.
   *
   * @param csv whether a line feed inside quotes belongs to the record
   */
  public RecordReader(InputStream in, boolean csv) {
    this.in = in;
    this.csv = csv;
  }

  /**
   * A record without its line end.
   *
   * @param line the number of its first line, from 1
   * @param lastLine the number of its last line
   * @param flaw why it cannot be used; null if it can
   */
  public record Cut(long line, long lastLine, String text, @Nullable String flaw) {}

  /** Returns the total bytes of the records returned so far. */
  public long consumedBytes() {
    return consumedBytes;
  }

  /** Returns true if reading the next record may block. */
  public boolean mayBlock() throws IOException {
    for (int at = start; at < end; at++) {
      if (buffer[at] == '\n') {
        return false;
      }
    }
    return !ended && in.available() == 0;
  }

  /** Returns the next record that is not blank, or null at the end of the stream. */
  public @Nullable Cut nextNonBlank() throws IOException {
    Cut cut = next();
    while (cut != null && cut.text().isBlank()) {
      cut = next();
    }
    return cut;
  }

  /** Returns the next record, or null at the end of the stream. */
  public @Nullable Cut next() throws IOException {
    if (!begun) {
      skipByteOrderMark();
    }
    Quotes quotes = Quotes.FIELD_BEGINS;
    int length = 0;
    while (true) {
      for (; start + length < end && length < MAX_RECORD_BYTES; length++) {
        byte next = buffer[start + length];
        if (next == '\n' && quotes != Quotes.OPEN) {
          return cut(length, 1, null);
        }
        quotes = csv ? quotes.after(next) : quotes;
      }
      if (length == MAX_RECORD_BYTES) {
        return tooLong(quotes);
      }
      if (!fill()) {
        return atEnd(length, quotes);
      }
    }
  }

  private @Nullable Cut atEnd(int length, Quotes quotes) throws IOException {
    if (length == 0) {
      return null;
    }
    return quotes == Quotes.OPEN ? neverClosed() : cut(length, 0, null);
  }

  private Cut tooLong(Quotes quotes) throws IOException {
    int feed = firstLineFeed();
    if (quotes == Quotes.OPEN && feed >= 0) {
      return neverClosed();
    }
    String shown =
        new String(buffer, start, SHOWN_OF_TOO_LONG_BYTES, StandardCharsets.UTF_8) + "...";
    long first = line;
    consume(MAX_RECORD_BYTES);
    long last = skipRest(quotes);
    return new Cut(first, last, shown, "is longer than " + MAX_RECORD_BYTES + " bytes");
  }

  /**
   * Skips the rest of a record. A quote that stays open for too long is taken for a stray one, and
   * the record ends with its line.
   *
   * @return the number of the last line
   */
  private long skipRest(Quotes before) throws IOException {
    Quotes quotes = before;
    long openBytes = 0;
    do {
      for (int at = start; at < end; at++) {
        byte next = buffer[at];
        if (next == '\n' && (quotes != Quotes.OPEN || openBytes > MAX_RECORD_BYTES)) {
          long last = line + lineFeeds(start, at);
          consume(at + 1 - start);
          return last;
        }
        quotes = csv ? quotes.after(next) : quotes;
        openBytes = quotes == Quotes.OPEN ? openBytes + 1 : 0;
      }
      consume(end - start);
    } while (fill());
    return line;
  }

  /**
   * Rejects only the line that opens the quote, not all that follows: one stray quote must not
   * swallow the rest of a feed. The lines after it are read again.
   */
  private Cut neverClosed() throws FeedException {
    int feed = firstLineFeed();
    reread(end - start);
    String flaw = "a quote is opened and never closed";
    return feed >= 0 ? cut(feed - start, 1, flaw) : cut(end - start, 0, flaw);
  }

  private void reread(int bytes) throws FeedException {
    rereadBytes += bytes;
    if (rereadBytes > MAX_REREAD_BYTES) {
      throw new FeedException("it has too many quotes that are opened and never closed");
    }
  }

  private Cut cut(int length, int feedBytes, @Nullable String flaw) {
    int textLength = length > 0 && buffer[start + length - 1] == '\r' ? length - 1 : length;
    String text = new String(buffer, start, textLength, StandardCharsets.UTF_8);
    boolean readable = text.indexOf(REPLACEMENT) < 0 || isUtf8(start, textLength);
    long last = line + lineFeeds(start, start + length);
    Cut cut = new Cut(line, last, text, flaw != null || readable ? flaw : "is not UTF-8");
    consume(length + feedBytes);
    return cut;
  }

  /**
   * Distinguishes a genuine replacement character in the text from one that stands for invalid
   * bytes: an id must not be sent as a different one.
   */
  private boolean isUtf8(int from, int length) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(buffer, from, length));
      return true;
    } catch (CharacterCodingException unreadable) {
      return false;
    }
  }

  private void consume(int bytes) {
    line += lineFeeds(start, start + bytes);
    start += bytes;
    consumedBytes += bytes;
  }

  private int lineFeeds(int from, int until) {
    int count = 0;
    for (int at = from; at < until; at++) {
      if (buffer[at] == '\n') {
        count++;
      }
    }
    return count;
  }

  private int firstLineFeed() {
    for (int at = start; at < end; at++) {
      if (buffer[at] == '\n') {
        return at;
      }
    }
    return -1;
  }

  /** Skips a byte order mark, with which files from spreadsheets often begin. */
  private void skipByteOrderMark() throws IOException {
    begun = true;
    boolean more = true;
    while (end < 3 && more) {
      more = fill();
    }
    byte[] mark = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};
    if (end >= 3 && Arrays.equals(buffer, 0, 3, mark, 0, 3)) {
      consume(3);
    }
  }

  private boolean fill() throws IOException {
    if (ended) {
      return false;
    }
    if (start > 0 && buffer.length - end < MAX_RECORD_BYTES / 4) {
      System.arraycopy(buffer, start, buffer, 0, end - start);
      end -= start;
      start = 0;
    }
    int count = in.read(buffer, end, buffer.length - end);
    ended = count < 0;
    end += Math.max(count, 0);
    return !ended;
  }

  /**
   * The position in a CSV record. A quote opens a field only at its beginning, so that a stray
   * quote inside a field invalidates only its own record.
   */
  private enum Quotes {
    FIELD_BEGINS,
    IN_FIELD,
    OPEN,
    MAYBE_CLOSED;

    Quotes after(byte next) {
      return switch (this) {
        case FIELD_BEGINS -> next == '"' ? OPEN : next == ',' ? FIELD_BEGINS : IN_FIELD;
        case IN_FIELD -> next == ',' ? FIELD_BEGINS : IN_FIELD;
        case OPEN -> next == '"' ? MAYBE_CLOSED : OPEN;
        case MAYBE_CLOSED -> next == '"' ? OPEN : next == ',' ? FIELD_BEGINS : IN_FIELD;
      };
    }
  }
}
