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
  private int lastStart;
  private long lastLine;
  private long lastConsumedBytes;
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
   * @param flaw why it cannot be used; null if it can
   */
  public record Cut(long line, String text, @Nullable String flaw) {}

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

  /**
   * Returns only the first line of the record that was returned last, and puts back the others, to
   * be read as records of their own. For a record of several lines that is malformed: it probably
   * has a quote too many, and the lines after it are probably sound.
   *
   * @throws FeedException if too much of the feed had to be read again
   */
  public Cut firstLine(Cut last) throws FeedException {
    if (last.text().indexOf('\n') < 0) {
      return last;
    }
    int after = start;
    start = lastStart;
    line = lastLine;
    consumedBytes = lastConsumedBytes;
    reread(after - start);
    return cut(firstLineFeed() - start, 1, last.flaw());
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
    // Only its first line is skipped, so what was read after that is read again.
    if (feed >= 0 && feed < start + MAX_RECORD_BYTES) {
      reread(start + MAX_RECORD_BYTES - feed);
    }
    String shown =
        new String(buffer, start, SHOWN_OF_TOO_LONG_BYTES, StandardCharsets.UTF_8) + "...";
    long at = line;
    skipLine();
    return new Cut(at, shown, "is longer than " + MAX_RECORD_BYTES + " bytes");
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
    Cut cut = new Cut(line, text, flaw != null || readable ? flaw : "is not UTF-8");
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
    lastStart = start;
    lastLine = line;
    lastConsumedBytes = consumedBytes;
    for (int at = start; at < start + bytes; at++) {
      if (buffer[at] == '\n') {
        line++;
      }
    }
    start += bytes;
    consumedBytes += bytes;
  }

  private void skipLine() throws IOException {
    do {
      int feed = firstLineFeed();
      if (feed >= 0) {
        consume(feed + 1 - start);
        return;
      }
      consume(end - start);
    } while (fill());
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
